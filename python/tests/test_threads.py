"""Values are shared by threads, long work lets other threads run, and memory does not grow."""

import gc
import resource
import threading
import time

import bitstride
from bitstride import Layout

A, B = Layout("(6,2):(8,2)"), Layout("(4,3):(3,1)")


def run(work, count: int = 8) -> list:
    results: list = []
    threads = [threading.Thread(target=lambda: results.append(work())) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_eight_threads_share_values():
    shape = bitstride.xla.Shape("f32[16,256]{1,0:T(8,128)}")
    layout = Layout("(32,(8,16)):(16,(1,512))")

    def work():
        answers = set()
        for _ in range(200):
            answers.add((A @ B, layout.shape, layout.stride, hash(layout), shape.convert("cute"), layout(17), str(layout)))
            answers.add(layout.offsets().sum())
        return answers

    results = run(work)
    assert len(results) == 8 and all(result == results[0] for result in results) and len(results[0]) == 2


def test_long_work_lets_others_run():
    beats, done = [], threading.Event()

    def beat():
        while not done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    time.sleep(0.05)
    before, start = len(beats), time.perf_counter()
    while time.perf_counter() - start < 0.3:
        Layout("((1024,512),2):((512,1),524288)").offsets()
    during = len(beats) - before
    done.set()
    thread.join()
    assert during > 10, during


def test_memory_does_not_grow():
    text = "((2,2),3):((24,2),8)"

    def work(count: int) -> None:
        for _ in range(count):
            layout = Layout(text)
            A @ B  # noqa: B018
            layout.shape, layout.stride, str(layout), layout(1, 2), hash(layout), layout.offsets()
            try:
                bitstride.composition("(4,4):(1,10)", "(3,2):(1,3)")
            except bitstride.Error:
                pass

    work(5_000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(20_000)
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096


def test_a_million_calls_leave_nothing_behind():
    layout, linear = Layout("((2,2),3):((24,2),8)"), bitstride.LinearLayout({"lane": [[1], [2]]}, {"dim0": 4})

    def work(count: int) -> None:
        for _ in range(count):
            made = Layout((4, 8), (8, 1))
            made.shape, made.stride, str(made), hash(made), made.coalesce()
            A @ B  # noqa: B018
            layout(1, 2), layout[0], linear(lane=3)

    work(1_000)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(100_000)
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048
