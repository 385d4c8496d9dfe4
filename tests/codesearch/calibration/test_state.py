import threading

import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.looping.calibration import (
    input_fingerprint,
    iteration_record,
    read_state,
    record_iteration,
)
from tellapart.codesearch.metrics.explorations import Overlap, total
from tellapart.errors import UsageError

CASES = [case("z", "abcd", "cde"), case("a", "", "abc")]


def record(number, text="input", cases=CASES):
    return iteration_record(number, input_fingerprint(text.encode()), cases)


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


OTHER, ONE, TWO = (input_fingerprint(text.encode()) for text in ("other", "one", "two"))
