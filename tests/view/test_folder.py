import shutil
import time
from functools import partial
from pathlib import Path

from tellapart.readers.settings import ReadingSettings
from tellapart.view.folder import entries
from tellapart.view.listing import Listing
from tellapart.view.loaded import load

READING = Path(__file__).parents[1] / "readers/fixtures"


def settled(listing):
    """Rows once nothing is being found out any more."""
    while (rows := listing.rows())["busy"]:
        time.sleep(0.01)
    return rows


def test_runs_of_all_suites_are_listed_with_verdict_and_what_has_no_scores_is_named(stored):
    rows = settled(Listing(stored))
    by_path = {run["path"]: run for run in rows["runs"]}
    assert " cannot be told apart yet: " in by_path["contrastive/runs/matchers"]["verdict"]
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
    (tmp_path / "record/run.db").write_text("no database" * 100)
    shutil.copytree(stored / "longcontext/runs/graded", tmp_path / "table")
    (tmp_path / "table/scores.parquet").write_bytes(b"PAR1 no more")
    (tmp_path / "scores.csv").write_text("model,item,score\na,1,x\n")
    rows = settled(Listing(tmp_path))
    found = {run["path"]: run for run in rows["runs"]}
    assert found["record"]["status"] == "damaged"
    assert "this file is damaged" in found["record"]["error"]
    assert " cannot be told apart yet: " in found["whole"]["verdict"]
    assert "damaged" in found["table"]["error"]
    assert [one["path"] for one in rows["unread"]] == ["scores.csv"]


def test_averages_are_passed_over_beside_the_scores_that_they_are_of(tmp_path):
    shutil.copytree(READING / "lm_eval/org__weak", tmp_path / "whole")
    (tmp_path / "alone").mkdir()
    averages = next((tmp_path / "whole").glob("results_*.json"))
    shutil.copy(averages, tmp_path / "alone/results_1.json")
    rows = settled(Listing(tmp_path))
    assert [run["path"].split("/")[0] for run in rows["runs"]] == ["whole", "whole"]
    assert [one["path"] for one in rows["unread"]] == ["alone/results_1.json"]
    assert "averages of a run" in rows["unread"][0]["error"]


def test_rankings_and_judgments_are_named_with_the_option_that_shows_them(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 d1 1 2.0 {name}\nq2 Q0 d1 1 1.0 {name}\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "answers").write_text("Paris")
    (tmp_path / "README.md").write_text("Runs of May")
    rows = settled(Listing(tmp_path))
    unread = {one["path"]: one["error"] for one in rows["unread"]}
    assert (rows["runs"], sorted(unread)) == ([], ["a.run", "answers", "b.run", "qrels.txt"])
    assert unread["a.run"] == "rankings have no scores by themselves. Give the judgments: --qrels FILE"
    shows = f"which --qrels {tmp_path / 'qrels.txt'} shows"
    assert unread["qrels.txt"] == f"These are judgments of rankings, {shows}"
    with_judgments = partial(load, settings=ReadingSettings(qrels=tmp_path / "qrels.txt", metric="RR"))
    rows = settled(Listing(tmp_path, load=with_judgments))
    assert {run["path"]: run["models"] for run in rows["runs"]} == {"a.run": ["a"], "b.run": ["b"]}


def test_links_out_of_the_folder_are_not_followed(stored, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/run").symlink_to(stored / "longcontext/runs/graded")
    (tmp_path / "folder/all").symlink_to(stored)
    assert entries(tmp_path / "folder") == []
    run = tmp_path / "folder/own"
    shutil.copytree(stored / "longcontext/runs/graded", run)
    (run / "items.parquet").unlink()
    (run / "items.parquet").symlink_to(stored / "longcontext/runs/judged/items.parquet")
    (entry,) = entries(tmp_path / "folder")
    assert entry.error == "items.parquet is no regular file, and links are not followed"
    assert not entry.has_scores
