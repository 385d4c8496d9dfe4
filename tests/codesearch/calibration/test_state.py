import threading

import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.looping.calibration import (
    State,
    input_fingerprint,
    iteration_number,
    iteration_record,
    read_state,
    record_iteration,
)
from tellapart.codesearch.metrics.explorations import Overlap, total
from tellapart.errors import InputError, UsageError

CASES = [case("z", "abcd", "cde"), case("a", "", "abc")]


def record(number, text="input", cases=CASES):
    return iteration_record(number, input_fingerprint(text.encode()), cases)


def state_of(*records):
    return State(iterations=records)


def test_an_iteration_is_remembered_by_conversation(tmp_path):
    path = tmp_path / "deep" / "state.json"
    noted = iteration_record(1, "f" * 16, CASES)
    record_iteration(path, noted)
    (found,) = read_state(path).iterations
    assert found == noted
    assert (found.run_a, found.run_b) == ("ax", "bx")
    assert list(found.conversations) == ["a", "z"]
    # Of z: a, b | e | c, d; of a, which is suspect, three of run B.
    assert total(found.conversations.values()) == Overlap(2, 4, 2)


def test_iterations_stay_in_order_and_the_same_input_replaces_its_own(tmp_path):
    path = tmp_path / "state.json"
    for number in (2, 1, 3):
        record_iteration(path, record(number, f"input {number}"))
    state = record_iteration(path, record(2, "input 2", [case("n", "a", "a")]))
    assert [one.number for one in state.iterations] == [1, 2, 3]
    assert total(state.find(2).conversations.values()) == Overlap(0, 0, 1)
    assert state.find(4) is None
    assert state.next == 4
    assert read_state(path) == state


def test_other_input_is_not_put_over_an_iteration(tmp_path):
    path = tmp_path / "state.json"
    record_iteration(path, record(1, "one"))
    before = path.read_bytes()
    with pytest.raises(UsageError, match="the state has iteration 1 of other search results"):
        record_iteration(path, record(1, "two"))
    assert path.read_bytes() == before


def test_two_evaluations_at_once_lose_nothing(tmp_path):
    path = tmp_path / "state.json"
    threads = [
        threading.Thread(target=record_iteration, args=(path, record(n, str(n)))) for n in range(1, 13)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.number for one in read_state(path).iterations] == list(range(1, 13))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"iterat', ":1:2: this is not JSON: Unterminated string"),
        ('{"iterations": [{"number": 1}]}', "'iterations[0].run_a' is missing"),
    ],
)
def test_a_damaged_file_says_so_and_is_not_overwritten(tmp_path, text, said):
    path = tmp_path / "state.json"
    path.write_text(text)
    for attempt in (lambda: read_state(path), lambda: record_iteration(path, record(1))):
        with pytest.raises(InputError) as caught:
            attempt()
        assert said in str(caught.value) and str(caught.value).startswith(str(path))
        assert "Restore it, or move it away to start over" in str(caught.value)
        assert path.read_text() == text


KNOWN = state_of(record(1, "one"), record(2, "two"))
OTHER, ONE, TWO = (input_fingerprint(text.encode()) for text in ("other", "one", "two"))


@pytest.mark.parametrize(
    ("fingerprint", "stated", "asked", "state", "number"),
    [
        (OTHER, 4, None, None, 4),
        (OTHER, None, 4, None, 4),
        (OTHER, 4, 4, KNOWN, 4),
        (OTHER, None, None, State(), 1),
        (OTHER, None, None, KNOWN, 3),
        (ONE, 1, None, KNOWN, 1),
        (ONE, None, None, KNOWN, 1),
        (TWO, None, 2, KNOWN, 2),
        # A system that found the same again is a new iteration where somebody says so.
        (TWO, None, 3, KNOWN, 3),
    ],
)
def test_which_iteration_it_is(fingerprint, stated, asked, state, number):
    assert iteration_number(fingerprint, stated=stated, requested=asked, state=state) == number
