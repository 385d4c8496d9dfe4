"""What the report says of language models: places, changes, what is missing, and who wrote."""

from dataclasses import replace

import polars as pl
import pytest

from contrastive.page.shown import texts
from tellapart.contrastive.llm_figures import WrittenSummaries
from tellapart.contrastive.page.browser import items_data
from tellapart.contrastive.page.language_models import agreement, combined, flip_lines, missing_lines, writers
from tellapart.contrastive.page.report import document
from tellapart.contrastive.page.slots import by_fifths, claims_by_model, slot_lines
from tellapart.contrastive.page.view import short_names
from tellapart.contrastive.slots import SlotResult, SlotTest

OVERLAP, HASTY = "offline/overlap", "offline/hasty"


def lists(view, answers):
    """Items of one model: one a (options, target's slot, picked slot), right where both are the same."""
    one = view.items.filter(pl.col("model") == OVERLAP, pl.col("missing").is_null()).head(1)
    frames = [
        one.with_columns(
            item=pl.lit(f"easy/{i}"),
            path=pl.lit(f"{i}.py"),
            options=pl.lit(options),
            slot=pl.lit(slot),
            picked_slot=pl.lit(picked),
            correct=pl.lit(float(slot == picked)),
        )
        for i, (options, slot, picked) in enumerate(answers)
    ]
    rest = view.items.filter(pl.col("model") != OVERLAP)
    return replace(view, items=pl.concat([*frames, rest], how="vertical_relaxed"))


def with_tests(view, **tests):
    """The same with other tests of the slot, by p and z."""
    none = dict.fromkeys(("first", "last", "trend", "ends"), 0.0)
    slots = {}
    for model, (p, z) in tests.items():
        test = SlotTest(p=p, spread=0.1, thirds=(), z=none | z, draws=9, reason=None)
        slots[f"offline/{model}"] = SlotResult(by_slot={}, test=test)
    return replace(view, report=view.report.model_copy(update={"slots": slots}))


def test_slots_of_lists_of_any_length_are_pooled_by_fifths(llm_view):
    # First fifth: slot 1 of 5, 1-2 of 10, 1-4 of 20; last: 5 of 5, 9-10 of 10, 17-20 of 20.
    answers = [(5, 1, 1), (10, 2, 2), (20, 4, 5), (20, 5, 5), (10, 9, 1), (20, 17, 17), (5, 5, 5)]
    found = by_fifths(lists(llm_view, answers), OVERLAP)
    assert [part.right.n for part in found] == [3, 1, 0, 0, 3]
    assert [part.right.value for part in found] == [
        pytest.approx(2 / 3),
        1.0,
        None,
        None,
        pytest.approx(2 / 3),
    ]
    # Of seven choices three lie in the first fifth, two in the second and two in the last.
    assert [part.first.value for part in found] == [pytest.approx(n / 7) for n in (3, 2, 0, 0, 2)]
    assert [part.even for part in found] == [pytest.approx(0.2)] * 5


def test_the_strongest_contrast_says_where(llm_view):
    # First fifth: 2 of 3 right, slot 1 always; middle: 1 of 1; last fifth: 1 of 3, the last slot 1 of 2.
    answers = [(10, 1, 1), (10, 2, 1), (5, 1, 1), (10, 5, 5), (10, 9, 1), (10, 10, 10), (5, 5, 1)]
    view = lists(llm_view, answers)
    for z, said in (
        ({"trend": -3.0, "first": 2.0}, "early: 67 % in the first fifth of the list, 33 % in the last"),
        ({"trend": 3.0}, "late: 33 % in the last fifth of the list, 67 % in the first"),
        ({"first": -3.0}, "in any other: 40 % there, 100 % in the first slot"),
        ({"last": 3.0}, "in the last slot: 50 % there, 60 % in any other"),
        ({"ends": -3.0}, "in its middle: 100 % there, 50 % near an end of the list"),
    ):
        lines = slot_lines(with_tests(view, overlap=(0.0004, z)))
        assert lines == [f"{OVERLAP} is right more often when the target stands {said}, p < 0.001."]


def test_several_tests_are_corrected_by_holm(llm_view):
    view = with_tests(llm_view, overlap=(0.03, {}), hasty=(0.04, {}))
    assert [claim.p_adjusted for claim in claims_by_model(view).values()] == [0.06, 0.06]
    assert slot_lines(view) == []


def test_what_is_missing_and_what_was_not_asked_is_said(llm_view):
    lost, unasked = missing_lines(llm_view)
    rows = llm_view.items.filter(pl.col("model") == HASTY)
    assert 0 < rows["missing"].count() < rows.height
    assert lost.startswith(f"Answers missing: {HASTY} {rows['missing'].count()} parse")
    assert (
        unasked
        == f"{OVERLAP} and {HASTY} were not asked the items of pool: no prompt holds that many options."
    )
    (line, _) = flip_lines(llm_view)
    assert line.startswith(f"{OVERLAP}: asked twice in the same order, 0 of 24 items changed")


def test_both_kinds_of_models_are_held_beside_one_another(llm_view):
    assert [row[:2] for row in texts(agreement(llm_view))] == [[HASTY, "bm25"], [OVERLAP, "bm25"]]
    ((source, *_, items, missing),) = texts(combined(llm_view))
    assert (source, int(items) + int(missing)) == ("docstring", 36)


def test_summaries_are_counted_with_what_is_missing_and_what_leaks(llm_view):
    def of_source(n, leaked, **missing):
        mean = 40.6 if n else None
        return WrittenSummaries(n=n, missing=missing, names_leaked=leaked, mean_characters=mean)

    summaries = {"a": of_source(8, 2, refusal=1, truncated=1), "b": of_source(0, 0, parse=10)}
    view = replace(llm_view, report=llm_view.report.model_copy(update={"summaries": summaries}))
    assert texts(writers(view)) == [
        ["a", "8", "0", "1", "1", "2", "25.0", "41"],
        ["b", "0", "10", "0", "0", "0", "–¹", "–¹"],
    ]


def test_where_rows_are_named_by_writers_the_matcher_is_said(llm_view):
    items = llm_view.items.filter(pl.col("method") == "llm").with_columns(
        source="model", matcher=pl.lit("x/y")
    )
    view = replace(llm_view, items=items)
    lost = next(line for line in missing_lines(view) if line.startswith("Answers"))
    assert lost.startswith(f"Answers missing: {HASTY} (matched by x/y)")
    assert short_names(["bm25", "a/x", "b/c/y", "a/x | bm25"])["a/x | bm25"] == "x | bm25"
    assert short_names(["a/x", "b/x"]) == {"a/x": "a/x", "b/x": "b/x"}


def test_without_embedding_models_there_is_no_empty_table_or_chart(llm_view):
    items = llm_view.items.filter(pl.col("method") == "llm")
    empty = {"controls": {}, "swap_accuracy": {}, "agreement": (), "combined": None}
    overall = {model: llm_view.report.overall[model] for model in (OVERLAP, HASTY)}
    levels = {
        level: {model: result for model, result in by_model.items() if model != "bm25"}
        for level, by_model in llm_view.report.by_difficulty.items()
        if level != "pool"
    }
    report = llm_view.report.model_copy(update=empty | {"overall": overall, "by_difficulty": levels})
    shown = document(replace(llm_view, items=items, report=report))
    assert {"slots", "language-models"} < {section.name for section in shown.sections}
    assert not {"checks", "agreement"} & {section.name for section in shown.sections}
    assert all(table.rows for section in shown.sections for table in (*section.tables, *section.folded))


def test_the_browser_has_every_asking_and_one_answer_an_item(llm_view):
    data = items_data(llm_view)
    assert data["askings"][0] is None
    first = data["items"][0][0]
    rows = llm_view.items.filter(pl.col("model") == OVERLAP, pl.col("item") == first).sort("replicate")
    assert [asking[:3] for asking in data["askings"][1][0]] == [
        [i // 2, i % 2, slot] for i, slot in enumerate(rows["slot"])
    ]
    correct, rank, *_, best = data["answers"][1][0]
    assert (correct, rank) == (rows["correct"].mean(), pytest.approx(rows["rank"].mean(), abs=0.01))
    assert best in rows["best_distractor"].to_list()
    assert set(map(len, (data["items"], *data["answers"], *data["askings"][1:]))) == {36}
