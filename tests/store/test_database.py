import sqlite3
import subprocess
import sys

import pytest

from tellapart.errors import FingerprintError, InputError, StorageError
from tellapart.files import write_text
from tellapart.store.database import DamageWarning, RunDatabase


def test_entries_come_back_in_their_order_and_the_last_of_a_key_counts(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1}, "a")
        database.add("steps", {"n": 2}, "a")
        database.add_all([("calls", "b", {"n": 3}), ("calls", "a", {"n": 4})])
    with RunDatabase(tmp_path / "run.db", read_only=True) as database:
        assert [(row.seq, row.kind, row.entry["n"]) for row in database.rows("calls", "steps")] == [
            (1, "calls", 1),
            (2, "steps", 2),
            (3, "calls", 3),
            (4, "calls", 4),
        ]
        assert database.last("calls", "a") == {"n": 4}
        assert database.last("calls", "c") is None
        assert [row.seq for row in database.rows("calls", after=1)] == [3, 4]
        assert [row.seq for row in database.rows(containing='"n": 3')] == [3]
        assert database.count("calls") == 2


def test_entries_that_belong_together_are_there_all_or_none(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        with pytest.raises(ValueError, match="Out of range"):
            database.add_all([("calls", "a", {}), ("calls", "b", {"score": float("nan")})])
        assert database.count("calls") == 0


def changed(path, old, new):
    data = path.read_bytes()
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))


def filled(path):
    with RunDatabase(path) as database:
        for number in range(50):
            database.add("calls", {"reply": f"reply {number} " * 400}, str(number))
        database.settle()


def test_a_flipped_bit_is_refused_where_a_complete_run_is_read(tmp_path):
    # What lies above says nothing of a run.
    file = tmp_path / "old.partial" / "r" / "run.db"
    filled(file)
    changed(file, b'{"reply": "reply 7 ', b'{"reply": "reply 8 ')
    with RunDatabase(file, read_only=True) as database:
        assert database.last("calls", "6")
        with pytest.raises(FingerprintError, match=r"run\.db: this file is damaged: entry 8 is not what"):
            database.last("calls", "7")
        with pytest.raises(FingerprintError):
            database.check()


def test_a_flipped_bit_costs_one_entry_where_a_run_goes_on(tmp_path):
    file = tmp_path / "r.partial" / "run.db"
    filled(file)
    changed(file, b'{"reply": "reply 7 ', b'{"reply": "reply 8 ')
    with RunDatabase(file, read_only=True) as database:
        assert len(database.entries("calls")) == 49
        with pytest.raises(FingerprintError):
            database.check()
    with pytest.warns(DamageWarning, match=r"damaged entries \(1 of calls\) are dropped"):
        RunDatabase(file).close()
    with RunDatabase(file) as database:
        assert database.count("calls") == 49
        database.check()


@pytest.mark.parametrize("keep", [0.5, 0.95])
def test_a_file_that_was_cut_is_refused_and_kept(tmp_path, keep):
    file = tmp_path / "r.partial" / "run.db"
    filled(file)
    cut = file.read_bytes()[: int(keep * file.stat().st_size)]
    file.write_bytes(cut)
    for read_only in (True, False):
        with (
            pytest.raises(FingerprintError, match="Restore it from a copy"),
            RunDatabase(file, read_only=read_only) as database,
        ):
            database.check()
    assert file.read_bytes() == cut


def test_a_file_that_is_none_of_ours_is_told(tmp_path):
    (tmp_path / "run.db").write_text("something else, and long enough for the head of a database" * 20)
    with pytest.raises(FingerprintError, match="file is not a database"):
        RunDatabase(tmp_path / "run.db", read_only=True)
    with pytest.raises(InputError, match="there is no such file"):
        RunDatabase(tmp_path / "other.db", read_only=True)


def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1}, "a")
        pages = database._connection.execute("PRAGMA page_count").fetchone()[0]
        database._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageError, match="the disk is full"):
            database.add("calls", {"reply": "x" * 100_000}, "b")
        database._connection.execute("PRAGMA max_page_count = 1000000")
        database.add("calls", {"n": 3}, "c")
        assert [row.key for row in database.rows("calls")] == ["a", "c"]


def test_somebody_else_reads_while_a_run_grows(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1})
        with RunDatabase(tmp_path / "run.db", read_only=True) as reader:
            assert reader.entries("calls") == [{"n": 1}]
            database.add("calls", {"n": 2})
            assert reader.entries("calls") == [{"n": 1}, {"n": 2}]


def test_on_the_disk_of_another_machine_no_memory_is_shared(tmp_path, monkeypatch):
    monkeypatch.setattr("tellapart.store.database._is_networked", lambda _: True)
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1})
        assert sorted(path.name for path in tmp_path.iterdir()) == ["run.db", "run.db-journal"]
    with RunDatabase(tmp_path / "run.db", read_only=True) as reader:
        assert reader.entries("calls") == [{"n": 1}]


ADD_UNTIL_KILLED = """
import sys
from pathlib import Path
from tellapart.store.database import RunDatabase
database = RunDatabase(Path(sys.argv[1]))
for number in range(database.count("calls"), 100_000):
    database.add("calls", {"reply": "x" * 2000}, str(number))
    print(number, flush=True)
"""


@pytest.mark.process
def test_what_was_added_before_a_kill_is_there(tmp_path):
    file = tmp_path / "run.db"
    told = -1
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", ADD_UNTIL_KILLED, str(file)], stdout=subprocess.PIPE, text=True
        )
        for line in process.stdout:
            told = int(line)
            if told % 40 == 39:
                process.kill()
                break
        told = max([told, *map(int, process.communicate()[0].split())])
        with RunDatabase(file) as database:
            database.check()
            assert [row.key for row in database.rows("calls")][: told + 1] == [*map(str, range(told + 1))]


def test_the_database_of_another_program_is_refused_and_kept(tmp_path):
    with sqlite3.connect(tmp_path / "run.db") as other:
        other.execute("CREATE TABLE users (name TEXT)")
    before = (tmp_path / "run.db").read_bytes()
    with pytest.raises(InputError, match="this is the database of another program"):
        RunDatabase(tmp_path / "run.db")
    with pytest.raises(InputError, match="this is no database of a run"):
        RunDatabase(tmp_path / "run.db", read_only=True)
    assert (tmp_path / "run.db").read_bytes() == before


def test_the_last_good_entry_of_a_key_counts_where_the_last_one_is_damaged(tmp_path):
    file = tmp_path / "r.partial" / "run.db"
    with RunDatabase(file) as database:
        database.add("record", {"n": "first"})
        database.add("record", {"n": "second"})
        database.settle()
    changed(file, b'{"n": "second"}', b'{"n": "sec0nd"}')
    with RunDatabase(file, read_only=True) as database:
        assert database.last("record") == {"n": "first"}


def test_nothing_that_is_written_takes_the_place_of_a_database(tmp_path):
    filled(tmp_path / "run.db")
    with pytest.raises(StorageError, match="this is a database, perhaps that of a run"):
        write_text(tmp_path / "run.db", "<!doctype html>")
    with RunDatabase(tmp_path / "run.db", read_only=True) as database:
        assert database.count("calls") == 50


def test_a_row_of_another_type_is_damage(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1}, "a")
    with sqlite3.connect(tmp_path / "run.db") as connection:
        connection.execute("UPDATE entries SET json = 7")
    with (
        RunDatabase(tmp_path / "run.db", read_only=True) as database,
        pytest.raises(FingerprintError, match="entry 1 is not what was written"),
    ):
        list(database.rows("calls"))


def test_tables_that_are_declared_otherwise_are_damage(tmp_path):
    with RunDatabase(tmp_path / "run.db") as database:
        database.add("calls", {"n": 1}, "a")
    data = (tmp_path / "run.db").read_bytes()
    # Of one bit: rows have no number then, and a reader would see none.
    (tmp_path / "run.db").write_bytes(data.replace(b"PRIMARY KEY", b"PRIMABY KEY"))
    for read_only in (True, False):
        with pytest.raises(FingerprintError, match="its tables are not declared as they were"):
            RunDatabase(tmp_path / "run.db", read_only=read_only)
