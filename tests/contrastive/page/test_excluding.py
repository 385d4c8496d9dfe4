"""A report without some items knows nothing of them, and makes no headline."""

import json
from statistics import fmean

import polars as pl
import pytest

from tellapart.contrastive.page.evidence import shown_run
from tellapart.core.comparison import ComparisonSettings, compare, to_json
from tellapart.core.fingerprint import sha256
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError


@pytest.fixture
def left_out(tiny_run, tmp_path):
    """Marks of a broken target and of a second right answer, and the items that hold them."""
    sets = tiny_run.frame("artifacts/benchmark/sets.parquet")
    broken, other = sets["target"][0], sets.filter(level="hard").row(-1, named=True)
    second = other["distractors"][0]
    marks = [
        {"target": broken, "mark": "broken item"},
        {"target": other["target"], "distractor": second, "mark": "second right answer"},
        {"target": other["target"], "distractor": other["distractors"][1], "mark": "sound"},
    ]
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"schema_version": 1, "benchmark": "any", "marks": marks}))
    items = [
        row["item"]
        for row in sets.iter_rows(named=True)
        if row["target"] == broken or (row["target"] == other["target"] and second in row["distractors"])
    ]
    assert broken != other["target"] and 1 < len(items) < sets.height
    return path, items


def test_figures_are_those_of_the_other_items_and_there_is_no_headline(tiny_run, left_out):
    path, items = left_out
    shown = shown_run(tiny_run, exclude=path)
    figures = shown.figures()
    rows = tiny_run.frame("items.parquet").filter(~pl.col("item").is_in(items), condition="summary")
    for model, result in figures["overall"].items():
        assert result["accuracy"] == pytest.approx(fmean(rows.filter(model=model)["correct"]), abs=1e-12)
        assert result["n"] == rows["item"].n_unique()
    scores = tiny_run.frame("scores.parquet").filter(~pl.col("item").is_in(items))
    notes = ScoreNotes(by="difficulty")
    expected = to_json(compare(ScoreTable.from_frame(scores, notes=notes)))
    primary = figures["comparison"]["primary"]
    assert primary["pairs"] == expected["primary"]["pairs"] == [*map(_today, figures["pairs"]["overall"])]
    assert (primary["scope"], primary["declared"]) == (f"all items but {len(items)}", False)
    assert figures["comparison"]["secondary"] == expected["secondary"]
    of = tiny_run.frame("artifacts/benchmark/sets.parquet").height
    assert figures["excluded"] == {"sha256": sha256(path.read_bytes()), "items": len(items), "of": of}
    assert not any(one["primary"]["declared"] for one in figures["names"]["comparisons"].values())
    document = shown.document(())
    assert document.title.startswith(
        f"No verdict: {len(items)} items were left out after the scores were known"
    )
    assert f"--exclude {path}" in document.commands[-1]
    assert not set(items) & set(shown.texts())


def _today(pair):
    return {name: value for name, value in pair.items() if name not in ("ci", "p_holm")}


def test_a_declared_part_without_some_items_is_no_headline_either(tiny_run, left_out):
    scores = tiny_run.scores()
    notes = ScoreNotes(primary=("difficulty", "hard"), excluded=2)
    compared = compare(ScoreTable.from_frame(scores.frame, notes=notes), ComparisonSettings(by="difficulty"))
    assert (compared.primary.part, compared.primary.left_out) == ("difficulty=hard", 2)
    assert not compared.primary.declared
    # Only who read the scores knows what was left out: it is not stored with them.
    assert ScoreNotes.from_metadata(notes.to_metadata()).excluded == 0


def test_ids_leave_out_the_same_as_marks_and_what_matches_nothing_is_named(tiny_run, left_out, tmp_path):
    path, items = left_out
    by_marks = shown_run(tiny_run, exclude=path).figures()
    file = tmp_path / "items"
    for text in ("\n".join(items) + "\n\n", json.dumps(items)):
        file.write_text(text)
        by_ids = shown_run(tiny_run, exclude=file).figures()
        assert by_ids.pop("excluded")["items"] == len(items)
        assert by_ids == {name: value for name, value in by_marks.items() if name != "excluded"}
    wrong = {
        f"{items[0]}\n{items[1]}x": f"1 of the 2 items .* such as '{items[1]}x'. Did you mean '{items[1]}'",
        path.read_text().replace(".py::", ".pj::", 1): "units that it names .* Did you mean ",
        "": "leaves out none of the",
        "[1]": "holds 1, expected a list of item ids",
    }
    for text, message in wrong.items():
        file.write_text(text)
        with pytest.raises(InputError, match=message.replace("[", r"\[")):
            shown_run(tiny_run, exclude=file)


def test_the_audit_beside_the_report_is_about_the_same_items(tellapart, tiny_run, left_out, tmp_path):
    path, items = left_out
    page = tmp_path / "r.html"
    done = tellapart("contrastive", "report", tiny_run.path, "--exclude", path, "--html", page)
    assert done.code == 0, done.err
    for written in (page, tmp_path / "r.audit.html"):
        assert (
            f"No verdict: {len(items)} items were left out after the scores were known" in written.read_text()
        )
    assert items[0] not in (tmp_path / "r.audit.html").read_text()
