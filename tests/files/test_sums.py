from pathlib import Path

import pytest
from tellapart.files.sums import SUMS, check_sum, check_sums, write_sums

from tellapart.errors import FingerprintError, InputError


@pytest.fixture
def run(tmp_path):
    run = tmp_path / "the run"
    for name in ("a.parquet", "artifacts/b c.json", "artifacts/parts/x", "logs/big.eval", "lock"):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(name)
    (run / "run.json").touch()
    write_sums(run, but=("run.json", "lock", "artifacts/parts"))
    return run


def test_names_every_file_but_logs_and_those_left_out(run):
    lines = (run / SUMS).read_text().splitlines()
    assert [line[66:] for line in lines] == ["a.parquet", "artifacts/b c.json"]
    check_sums(run)


def test_a_file_that_came_later_is_not_looked_at(run):
    (run / "later.json").touch()
    check_sums(run)


def test_a_file_that_is_not_listed_or_not_in_a_run_passes(run, tmp_path):
    (run / "later.json").touch()
    check_sum(run / "later.json")
    (tmp_path / "x").touch()
    check_sum(tmp_path / "x")


def test_one_file_is_looked_at_wherever_it_lies_in_a_run(run, monkeypatch):
    name = "artifacts/b c.json"
    (run / name).write_text("changed")
    monkeypatch.chdir((run / name).parent)
    for path in (run / name, Path((run / name).name)):
        with pytest.raises(FingerprintError, match="this is not what the run wrote"):
            check_sum(path)
    # Nor is a list of somebody else's read.
    (run / "run.json").unlink()
    check_sum(run / name)


@pytest.mark.parametrize("damage", [b"a.parquat", b"", None])
def test_what_changed_is_named(run, damage):
    if damage is None:
        (run / "a.parquet").unlink()
    else:
        (run / "a.parquet").write_bytes(damage)
    found = "it is not there" if damage is None else "its SHA-256 is [0-9a-f]{16}…"
    with pytest.raises(FingerprintError, match=f"parquet: this is not what the run wrote: {found}") as error:
        check_sums(run)
    assert f"tellapart runs delete '{run}'. If the change was meant, remove line 1 of" in str(error.value)


def test_a_damaged_list_is_named(run):
    (run / SUMS).write_text((run / SUMS).read_text() + "nonsense\n")
    with pytest.raises(InputError, match=f"{SUMS}:3: this line is 'nonsense'"):
        check_sums(run)
