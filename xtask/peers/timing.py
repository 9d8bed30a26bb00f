"""How the programs beside this file time one call."""

from timeit import Timer

BATCHES, BATCH_SECONDS = 30, 0.005


def least_ns(call):
    """Fewest nanoseconds a call over BATCHES batches of BATCH_SECONDS."""
    timer = Timer(call)
    calls, spent = 1, timer.timeit(1)
    while spent < BATCH_SECONDS:
        calls *= 2
        spent = timer.timeit(calls)
    return min(timer.repeat(BATCHES, calls)) / calls * 1e9
