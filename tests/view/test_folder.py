import json
import shutil

from tellapart.view.folder import entries
from tellapart.view.listing import Calls, Listing


def settled(listing):
    """Rows once nothing is being found out any more."""
    while (rows := listing.rows())["busy"]:
        if listing._thread is not None:
            listing._thread.join()
    return rows


def test_runs_of_all_suites_are_listed_with_verdict_and_what_has_no_scores_is_named(stored):
    rows = settled(Listing(stored))
    by_path = {run["path"]: run for run in rows["runs"]}
    assert by_path["contrastive/runs/matchers"]["verdict"].startswith("Cannot separate bm25 from offline")
    assert by_path["contrastive/runs/matchers"]["models"] == ["bm25", "offline/overlap"]
    assert by_path["longcontext/runs/graded"]["items"] == 12
    assert {run["suite"] for run in rows["runs"]} == {"", "codesearch", "contrastive", "longcontext"}
    assert by_path["bundles/bm25.scores.parquet"]["kind"] == "scores"
    assert "bundles/bm25.json" not in by_path
    growing = by_path["longcontext/runs/killed.partial"]
    assert (growing["status"], growing["calls"], growing["verdict"]) == ("not complete", 7, "")
    assert growing["models"] == ["offline/recalls", "offline/guesses-16k"]
    unread = {one["path"]: one["error"] for one in rows["unread"]}
    assert "there is no column" in unread["bundles/eval.jsonl"]
    # A benchmark holds questions, and no answers.
    assert not [path for path in [*unread, *by_path] if path.startswith("contrastive/bench")]


def test_a_damaged_run_is_named_and_the_others_are_listed(stored, tmp_path):
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "whole")
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "record")
    (tmp_path / "record/run.json").write_text('{"suite": ')
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "table")
    (tmp_path / "table/scores.parquet").write_bytes(b"PAR1 no more")
    (tmp_path / "scores.csv").write_text("model,item,score\na,1,x\n")
    rows = settled(Listing(tmp_path))
    found = {run["path"]: run for run in rows["runs"]}
    assert found["record"]["status"] == "damaged"
    assert "JSON" in found["record"]["error"]
    assert found["whole"]["verdict"].startswith("Cannot separate")
    assert found["table"]["verdict"] == "no scores yet"
    assert [one["path"] for one in rows["unread"]] == ["scores.csv"]


def test_links_out_of_the_folder_are_not_followed(stored, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/run").symlink_to(stored / "longcontext/runs/graded")
    (tmp_path / "folder/all").symlink_to(stored)
    assert entries(tmp_path / "folder") == []
    run = tmp_path / "folder/own"
    shutil.copytree(stored / "longcontext/runs/graded", run)
    (run / "calls.jsonl").symlink_to(stored / "longcontext/runs/judged/calls.jsonl")
    (entry,) = entries(tmp_path / "folder")
    assert entry.error == "calls.jsonl is a link, and links are not followed"
    assert not entry.has_scores


def test_the_folder_may_be_a_run(stored):
    (entry,) = entries(stored / "longcontext/runs/graded")
    assert (entry.path, entry.kind) == ("graded", "run")


def test_a_growing_journal_is_counted_with_its_rate(tmp_path):
    journal, calls = tmp_path / "calls.jsonl", Calls()
    calls.look(journal, 0.0)
    assert (calls.count, calls.rate) == (0, None)
    calls._at_s = 0.0
    line = json.dumps({"key": "a", "usage": {"input_tokens": 40, "output_tokens": 2}})
    for second, lines in enumerate((3, 10, 10), start=1):
        journal.write_text('{"model": "a"}\n' + f"{line}\n" * lines + line[:-9])
        calls.look(journal, float(second))
        assert (calls.count, calls.tokens) == (lines, 42 * lines)
        assert calls.rate == {1: 3.0, 2: 7.0, 3: 0.0}[second]
    # Another run that is begun under the same name is counted from its beginning.
    journal.write_text(f"{line}\n")
    calls.look(journal, 4.0)
    assert (calls.count, calls.rate) == (1, 1.0)
