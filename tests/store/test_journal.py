import json

import pytest
from tellapart.files.journal_lines import DamageWarning

from tellapart.errors import FingerprintError
from tellapart.store import Journal

LOST = "these steps are done again"
MIDDLE = [b"\0" * 300, b"", b'{"step":"two"}']


def steps(journal):
    return [entry["step"] for entry in journal.entries]


@pytest.fixture
def file(tmp_path):
    journal = Journal(tmp_path / "j")
    for step in ("one", "two", "three"):
        journal.append({"step": step, "took": 1.5})
    return tmp_path / "j"


def test_keeps_what_was_appended(file):
    journal = Journal(file)
    assert not journal.damage
    journal.append({"step": "four"})
    assert steps(Journal.resumed(file, lost=LOST)) == ["one", "two", "three", "four"]
    assert [json.loads(line)["step"] for line in file.read_bytes().splitlines()] == steps(journal)


def test_a_line_cut_off_by_a_crash_is_dropped_and_overwritten(file):
    whole = file.read_bytes()
    two = b"".join(whole.splitlines(keepends=True)[:2])
    for length in (len(two) + 1, len(whole) - 10, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.warns(DamageWarning, match=f"{file}: a last line that was cut off passed over: {LOST}"):
            journal = Journal.resumed(file, lost=LOST)
        assert file.read_bytes() == two
        journal.append({"step": "three", "took": 1.5})
        assert file.read_bytes() == whole


@pytest.mark.parametrize("damage", MIDDLE)
def test_a_damaged_line_in_the_middle_costs_just_this_line(file, damage):
    first, _, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + damage + b"\n" + last)
    with pytest.warns(DamageWarning, match=r"1 damaged line \(2\) passed over"):
        journal = Journal.resumed(file, lost=LOST)
    assert file.read_bytes() == first + last
    journal.append({"step": "two"})
    assert steps(Journal.resumed(file, lost=LOST)) == ["one", "three", "two"]


def test_no_flipped_bit_gives_another_entry(file):
    whole, entries = file.read_bytes(), Journal(file).entries
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        file.write_bytes(flipped)
        journal = Journal(file)
        assert journal.damage
        assert all(entry in entries for entry in journal.entries)
        # A line end that is none any more takes two lines.
        assert len(journal.entries) >= (1 if whole[place : place + 1] == b"\n" else 2)


def test_an_emptied_journal_is_told(file):
    file.write_bytes(b"")
    with pytest.warns(DamageWarning, match="this journal is empty; if it held lines, these steps"):
        journal = Journal.resumed(file, lost=LOST)
    journal.append({"step": "one"})
    assert steps(Journal.resumed(file, lost=LOST)) == ["one"]


def test_a_finished_one_is_refused(file):
    first, _, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + b"\0\n" + last + b"{")
    with pytest.raises(FingerprintError, match=rf"{file}:2: this journal has 1 damaged line \(2\)"):
        Journal.finished(file, lost=LOST)


def test_others_are_taken_out(file):
    journal = Journal(file)
    journal.keep(journal.entries[1:])
    journal.append({"step": "four"})
    assert steps(journal) == steps(Journal.resumed(file, lost=LOST)) == ["two", "three", "four"]
