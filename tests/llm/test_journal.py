import json

import pytest
from tellapart.files.journal_lines import DamageWarning

from tellapart.errors import FingerprintError, InUse
from tellapart.llm.journal import CallJournal

CUT = "a last line that was cut off passed over: their calls are made again"


def key(number):
    return f"{number:064x}"


def call(reply="yes", **more):
    return {"model": "m", "question": "q", "reply": reply, **more}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "calls.jsonl"


def written(path, *replies):
    with CallJournal(path) as journal:
        for number, reply in enumerate(replies):
            journal.append(key(number), call(reply))
    return path.read_bytes()


def test_a_call_is_found_again_by_its_key_in_this_process_and_in_the_next(path):
    with CallJournal(path) as journal:
        journal.append(key(1), call("one\nline é"))
        journal.append(key(2), call("two"))
        assert journal.get(key(1))["reply"] == "one\nline é"
        assert journal.get(key(3)) is None
    with CallJournal(path) as journal:
        assert [journal.get(key(i))["reply"] for i in (1, 2)] == ["one\nline é", "two"]
        assert len(journal) == 2


def test_the_last_call_with_a_key_counts(path):
    with CallJournal(path) as journal:
        journal.append(key(1), call("first"))
        journal.append(key(1), call("second"))
        assert journal.get(key(1))["reply"] == "second"
    with CallJournal(path) as journal:
        assert journal.get(key(1))["reply"] == "second"
        assert len(journal) == 1


def test_a_last_line_cut_off_anywhere_even_within_a_character_is_dropped(path):
    whole = written(path, "kept", "é…" * 20)
    last = whole.splitlines(keepends=True)[1]
    for lost in range(1, len(last), 3):
        path.write_bytes(whole[:-lost])
        with pytest.warns(DamageWarning, match=CUT), CallJournal(path) as journal:
            assert journal.get(key(0))["reply"] == "kept"
            assert journal.get(key(1)) is None
            journal.append(key(1), call("again"))
        assert [json.loads(line)["reply"] for line in path.read_bytes().splitlines()] == ["kept", "again"]


def test_to_read_only_leaves_a_line_that_is_being_written_alone(path):
    whole = written(path, "kept", "cut")
    path.write_bytes(whole[:-5])
    with CallJournal(path, read_only=True) as journal:
        assert journal.get(key(1)) is None
    assert path.read_bytes() == whole[:-5]


@pytest.mark.parametrize("damage", [b"\x00" * 20, b'{"model": "m", "sent": {}}'])
def test_a_damaged_line_in_the_middle_costs_just_its_call(path, damage):
    first, second, third = written(path, "a", "b", "c").splitlines(keepends=True)
    path.write_bytes(first + damage + b"\n" + third)
    with pytest.raises(FingerprintError, match=rf"{path}:2: this journal has 1 damaged line \(2\)"):
        CallJournal(path, read_only=True)
    assert path.read_bytes() == first + damage + b"\n" + third
    with pytest.warns(DamageWarning, match=r"calls are made again"), CallJournal(path) as journal:
        assert path.read_bytes() == first + third
        assert [journal.get(key(i)) is not None for i in range(3)] == [True, False, True]
        with pytest.raises(InUse), CallJournal(path):
            pass
        journal.append(key(1), call("b"))
    assert path.read_bytes() == first + third + second


def test_two_processes_do_not_write_one_journal(path):
    with CallJournal(path) as journal:
        journal.append(key(1), call())
        with pytest.raises(InUse, match="another process is writing this journal"):
            CallJournal(path)
        with CallJournal(path, read_only=True) as reader:
            assert reader.get(key(1)) is not None
    CallJournal(path).close()


def test_what_is_known_of_a_model_comes_from_the_file(path):
    with CallJournal(path) as journal:
        journal.note_requested("m", {"temperature": 0})
        journal.note_sent("m", {"temperature": {"0"}})
        journal.append(key(1), call(usage={"input_tokens": 10, "output_tokens": 2}, attempts=3, served="m-1"))
    with CallJournal(path) as journal:
        journal.note_requested("m", {"temperature": 0})
        journal.note_sent("m", {"temperature": {"0", "1"}, "top_p": {"0.5"}})
        use = journal.models["m"]
        assert use.requested == [{"temperature": 0}]
        assert use.effective() == {"temperature": [0, 1], "top_p": 0.5}
        assert (use.calls, use.attempts, use.input_tokens, use.output_tokens) == (1, 3, 10, 2)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.keys() - {"model", "crc32"} for line in lines] == [
        {"requested"},
        {"sent"},
        {"key", "question", "reply", "usage", "attempts", "served"},
        {"sent"},
    ]
    assert lines[-1]["sent"] == {"temperature": [1], "top_p": [0.5]}
