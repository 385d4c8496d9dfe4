"""A report without some items knows nothing of them, and makes no headline."""

import json
from statistics import fmean

import polars as pl
import pytest

from tellapart.contrastive import run as suite
from tellapart.contrastive.excluded_run import without
from tellapart.contrastive.page.evidence import shown_run
from tellapart.contrastive.page.review import suspect_lines
from tellapart.contrastive.review.effect import suspect_effect
from tellapart.contrastive.review.results import SuspectItems
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
    assert (primary["scope"], primary["left_out"], primary["declared"]) == ("all items", len(items), False)
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
    assert (compared.primary.name, compared.primary.left_out) == ("difficulty=hard", 2)
    assert not compared.primary.declared
    # Only who read the scores knows what was left out: it is not stored with them.
    assert ScoreNotes.from_metadata(notes.to_metadata()).excluded == 0


def test_ids_leave_out_the_same_as_marks_and_what_matches_nothing_is_named(tiny_run, left_out, tmp_path):
    path, items = left_out
    by_marks = without(tiny_run, path).exclusion
    assert set(by_marks.items) == set(items)
    file = tmp_path / "items"
    for text in ("\n".join(items) + "\n\n", json.dumps(items)):
        file.write_text(text)
        by_ids = without(tiny_run, file).exclusion
        assert (by_ids.items, by_ids.record.items) == (by_marks.items, len(items))
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


def test_the_audit_beside_the_report_is_about_the_same_items(tiny_run, left_out):
    path, items = left_out
    assert shown_run(tiny_run).scores is None
    scores = shown_run(tiny_run, exclude=path).scores
    assert scores.notes.excluded == len(items)
    assert not set(items) & set(scores.frame["item"])


def test_a_report_says_which_verdicts_hang_on_items_that_hold_a_suspect(tiny_run, left_out):
    stored = json.loads((tiny_run.artifacts / "suspects.json").read_text())
    found = suite.review(tiny_run.path)
    assert stored["items"] == sorted({item for suspect in found.suspects for item in suspect.items})
    assert 0 < len(stored["items"]) < stored["of"]
    shown = shown_run(tiny_run).figures()["suspects"]
    assert (shown["items"], shown["of"]) == (len(stored["items"]), stored["of"])
    rest = tiny_run.frame("scores.parquet").filter(~pl.col("item").is_in(stored["items"]))
    verdicts = [
        {(pair.a, pair.b): pair.verdict for pair in compare(ScoreTable.from_frame(rows)).primary.pairs}
        for rows in (tiny_run.frame("scores.parquet"), rest)
    ]
    changed = {pair for pair, verdict in verdicts[0].items() if verdicts[1][pair] != verdict}
    assert {(one["a"], one["b"]) for one in shown["changed"]} == changed
    # Without a verdict there is none that could change.
    assert shown_run(tiny_run, exclude=left_out[0]).figures()["suspects"]["changed"] is None


def test_a_changed_verdict_is_put_into_words():
    scores = pl.DataFrame(
        [
            {"model": model, "item": f"{i}", "cluster": f"{i}", "score": float(i < right)}
            for model, right in {"a": 30, "b": 20}.items()
            for i in range(40)
        ]
    )
    table = ScoreTable.from_frame(scores)
    items = [f"{i}" for i in range(40)]

    def lines(held):
        suspects = SuspectItems(threshold=0.3, of=40, items=tuple(held))
        effect = suspect_effect(suspects, items, table, ComparisonSettings(), compare(table))
        return suspect_lines(effect)

    # Of ten items that only a gets right, p is 2 / 2^10; of the last three .25.
    assert "Without these items no verdict changes." in lines(["0"])[0]
    assert lines(items[20:27]) == [
        "7 of 40 items (17.5 %) have a distractor that may be a second right answer: 'contrastive review' "
        "lists them. Without these items the verdict changes on a and b from 'a is better' to 'cannot tell'."
    ]
    assert lines([]) == ["No item has a distractor that looks like a second right answer."]
