import json
import os
import shutil
from pathlib import Path

import pytest

from support.recorded import record_of


@pytest.fixture
def runs(stored, tmp_path, monkeypatch):
    """Three runs: the last to be written is not complete, and the first cannot be read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    for at, name in enumerate(("embedding", "matchers", "killed.partial"), start=1):
        run = shutil.copytree(stored / "contrastive/runs" / name, tmp_path / "runs" / name)
        os.utime(run / "run.db", (1_700_000_000 + at * 86_400,) * 2)
    broken = tmp_path / "runs" / "broken"
    broken.mkdir()
    (broken / "run.db").write_text("no database" * 100)
    os.utime(broken / "run.db", (1_700_000_000,) * 2)
    return tmp_path / "runs"


def test_the_list_says_when_who_how_many_and_what_it_shows_the_latest_first(runs, tellapart):
    lines = tellapart("runs", "list").out.splitlines()
    names = [
        line.split()[0] for line in lines if line.startswith(("killed", "matchers", "embedding", "broken"))
    ]
    assert names == ["killed.partial", "matchers", "embedding", "broken"]
    text = " ".join(" ".join(lines).split())
    assert "killed.partial bm25, offline/overlap not complete 13 contrastive" in text
    assert (
        "embedding bm25, hashing, lsa On adversarial items, no model is clearly better than another "
        "13 contrastive" in text
    )
    assert "2023-11-1" in text
    assert "its run.db cannot be read" in text


def test_scripts_get_the_record_the_time_and_the_verdict_by_name(runs, tellapart):
    listed = json.loads(tellapart("runs", "list", "--json").out)
    assert [Path(row["path"]).name for row in listed] == ["broken", "embedding", "killed.partial", "matchers"]
    embedding = listed[1]
    assert embedding["finished_at"] == "2023-11-15T22:13:20+00:00"
    assert embedding["compared"] == ["bm25", "hashing", "lsa"]
    assert embedding["verdict"] == "On adversarial items, no model is clearly better than another"
    assert embedding["suite"] == "contrastive"


def test_a_run_is_shown_for_people_or_as_its_record(runs, tellapart):
    shown = tellapart("runs", "show", "matchers")
    assert "verdict" in shown.out
    assert shown.err == "its page: tellapart contrastive report runs/matchers --html matchers.html\n"
    record = record_of(runs / "matchers")
    assert json.loads(tellapart("runs", "show", "matchers", "--json").out) == record
    assert tellapart("runs", "show", "killed.partial").err == ""
    (runs / "matchers" / "scores.parquet").unlink()
    assert tellapart("runs", "show", "matchers").err == ""


def test_no_runs_are_no_error(tmp_path, tellapart):
    assert (
        tellapart("runs", "list", "--root", tmp_path / "none").out
        == f"there are no runs in {tmp_path / 'none'}\n"
    )
    assert json.loads(tellapart("runs", "list", "--root", tmp_path / "none", "--json").out) == []
