"""Recorded questions: typed calls give what the text gives, what `bitstride batch` gives, and what all systems gave."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import bitstride
from rows import rows

ROWS = list(rows())


@functools.cache
def typed(text: str):
    return bitstride.parse(text)


def answered(call) -> str:
    try:
        return str(call()).replace(" ", "").replace(",)", ")").replace("None", "_")
    except bitstride.Error as error:
        return f"!{error.code}"


def test_typed_calls_give_the_value_of_the_text():
    assert len(ROWS) > 3000
    differ = []
    for operation, texts, _ in ROWS:
        values = [typed(text) for text in texts]
        expression = f"{operation}({', '.join(texts)})"
        results = {
            answered(lambda: bitstride.parse(expression)),
            answered(lambda: getattr(bitstride, operation)(*values)),
            answered(lambda: bitstride.call(operation, *values)),
        }
        method = getattr(values[0], operation, None) if isinstance(values[0], bitstride.Layout) else None
        if method is not None:
            results.add(answered(lambda: method(*values[1:])))
        if len(results) != 1:
            differ.append((expression, results))
    assert not differ, differ[:5]


def test_notes_are_those_of_the_text():
    differ = []
    for operation, texts, _ in ROWS:
        try:
            value, notes = bitstride.evaluate(f"{operation}({', '.join(texts)})")
        except bitstride.Error:
            continue
        if isinstance(value, bitstride.Value):
            found = getattr(bitstride, operation)(*[typed(text) for text in texts])
            if list(found.notes) != notes:
                differ.append((operation, texts, found.notes, notes))
    assert not differ, differ[:5]


def test_batch_gives_the_same():
    command = [sys.executable, "-c", "import sys; from bitstride._core import main; sys.exit(main())", "batch"]
    expressions = [f"{operation}({', '.join(texts)})" for operation, texts, _ in ROWS]
    lines = "".join(json.dumps({"expr": expression}) + "\n" for expression in expressions)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(expressions), done.stderr[-500:]
    for (operation, texts, _), answer in zip(ROWS, answers):
        found = answered(lambda: bitstride.call(operation, *map(typed, texts)))
        wanted = answer["value"].replace(" ", "") if "value" in answer else f"!{answer['error']['code']}"
        assert found == wanted, (operation, texts)


def test_refusals_and_answers_agree_with_the_recorded_ones():
    """Where CuTe's C++ library answers with a layout, so do we: the same, or a refusal or layout that the rules document."""
    same = sum(
        str(answer) == recorded
        for operation, texts, recorded in ROWS
        if not recorded.startswith("!")
        and (answer := answered(lambda: getattr(bitstride, operation)(*map(typed, texts))))
    )
    assert same > 2500, same


def test_the_command_is_installed():
    script = Path(sys.executable).parent / "bitstride"
    done = subprocess.run([script, "size((4,(2,4)))"], capture_output=True, text=True, check=True)
    assert done.stdout == "32\n"
    assert subprocess.run([script, "size("], capture_output=True, check=False).returncode == 2
