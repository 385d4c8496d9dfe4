"""Failure modes of the documented cases, and the heatmap."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    probe,
    record,
    three,
    two_models,
    view_of,
)
from tellapart.longcontext.page.tables import MODES, UNSAID, heatmap, mode_scores, modes_of


@pytest.mark.parametrize(
    ("said", "modes"),
    [
        ("Baseline recall", ["Baseline recall"]),
        ("Source Attribution — baseline", ["Source Attribution"]),
        ("Source Attribution test", ["Source Attribution"]),
        ("Attention Dilution - check 4", ["Attention Dilution"]),
        ("Confabulation + Lost in the Middle — TRAP QUESTION", ["Confabulation", "Lost in the Middle"]),
        ("Cross-contamination probe", ["Cross-contamination"]),
        ("cross contamination", ["Cross-contamination"]),
        ("Factual recall — middle position", ["Factual recall"]),
        ("Lost in the Middle - mid-position detail", ["Lost in the Middle"]),
        ("Stress test - full enumeration", ["Stress test"]),
        ("Recency Bias probe, after Study 19", ["Recency Bias"]),
        ("Attention sink", ["Attention Sink"]),
        ("Confabulation+Stress test", ["Confabulation", "Stress test"]),
        ("Confabulation + confabulation again", ["Confabulation"]),
        ("", [UNSAID]),
        (None, [UNSAID]),
    ],
)
def test_a_mode_is_named_as_the_documents_rows_are(said, modes):
    assert list(modes_of(said)) == modes


def rows(view):
    return {row[0]: row[1:] for row in texts(heatmap(view))}


def test_every_row_of_the_document_is_there_in_its_order_and_others_follow():
    found = list(rows(view_of(three())))
    assert found == [*MODES, "Baseline recall", "Factual recall", "Stress test"]


def test_other_cases_have_only_the_rows_they_have_probes_for():
    assert list(rows(view_of(two_models()))) == ["Factual recall"]


def test_a_cell_holds_every_grade_below_one_sign():
    found = rows(view_of(three()))
    assert found["Confabulation"] == ["—", "❌ V2-1 HALLUCINATED", "✅ V3-5 CORRECT"]
    assert found["Lost in the Middle"] == ["—", "❌ V2-1 HALLUCINATED", "❌ V3-2 HALLUCINATED"]
    assert found["Source Attribution"] == [
        "✅ V1-2 CORRECT",
        "⚠️ C2-2 CONFUSED, V2-6 CORRECT",
        "❌ C3-2 REFUSED",
    ]
    assert found["Stress test"] == ["—", "—", "❌ V3-3 7/25 correct"]


def test_models_stand_side_by_side_and_controls_nowhere():
    view = view_of(two_models())
    assert [column.title for column in heatmap(view).columns] == [
        "Failure Mode", "recall · alpha", "recall · beta",
    ]  # fmt: skip
    assert rows(view)["Factual recall"] == ["✅ V1 CORRECT 2/2", "⚠️ V1 CORRECT 1/2, HALLUCINATED 1/2"]


def test_of_many_columns_a_narrow_place_shows_one_a_model_without_empty_rows():
    shown = heatmap(view_of(three()), most=2)
    assert [column.title for column in shown.columns] == ["Failure Mode", "3 cases"]
    found = {row[0]: row[1] for row in texts(shown)}
    assert found["Attention Sink"] == "❌ V1-4 PASS, V2-7 FAIL, V3-6 FAIL"
    assert [column.title for column in heatmap(view_of(three()), most=3).columns][1:] == [
        "Case 1",
        "Case 2",
        "Case 3",
    ]
    assert [row[0] for row in texts(heatmap(view_of(two_models()), most=1))] == ["Factual recall"]


def test_many_probes_are_counted():
    asked = [probe("recall", f"V{i}", "Needle", "CORRECT" if i else "FAIL", f"{i}?", "1", "1", model="alpha")
             for i in range(13)]  # fmt: skip
    case = two_models()["cases"][:1]
    assert rows(view_of(record(case, asked)))["Needle"] == ["⚠️ CORRECT 12/13, FAIL 1/13"]
    assert rows(view_of(record(case, asked[1:])))["Needle"][0].startswith("✅ V1 CORRECT, V2 CORRECT")


def test_spellings_of_a_mode_are_one_row():
    asked = [probe("recall", f"V{i}", mode, "CORRECT", f"{i}?", "1", "1", model="alpha")
             for i, mode in enumerate(("Needle", "needle — deep"))]  # fmt: skip
    found = rows(view_of(record(two_models()["cases"][:1], asked)))
    assert found["Needle"] == ["✅ V0 CORRECT, V1 CORRECT"]
    assert "needle" not in found


def test_steps_of_one_name_in_several_cases_are_put_together_with_their_mean():
    cases = two_models()["cases"][:1]
    asked = [probe(name, "V1-1", "Needle", category, f"{name}?", "1", "1", model="alpha")
             for name, category in (("a", "CORRECT"), ("b", "PARTIAL"), ("c", "CORRECT"))]  # fmt: skip
    view = view_of(record([{**cases[0], "name": name} for name in "abc"], asked))
    assert [row[1] for row in texts(heatmap(view, most=1))] == ["⚠️ 83.3 %: CORRECT 2/3, PARTIAL 1/3"]


def test_scores_by_mode_have_their_number_interval_and_missing_by_cause():
    rows = {row[0]: row[1:] for row in texts(mode_scores(view_of(three())))}
    # Case 2: three of three; case 3: 0.5, 0, 1, 0 and one missing. 4.5 of 7 with a score.
    n, mean, missing, bounds = rows["Attention Dilution"]
    assert (n, missing, bounds) == ("8", "1 [judge 1]", "56.2–68.8")
    assert mean.startswith("64.3 [") and "no interval" not in mean
    # One case, so nothing tells how cases differ.
    assert rows["Baseline recall"] == ["1", "100.0 [no interval]", "0", "100.0–100.0"]
    assert "Latency" not in rows and set(rows) >= {"Attention Sink", "Stress test"}


def test_scores_by_mode_are_side_by_side_for_several_models():
    rows = texts(mode_scores(view_of(two_models())))
    assert [row[:4] for row in rows] == [
        ["Factual recall", "alpha", "2", "100.0 [no interval]"],
        ["Factual recall", "beta", "2", "50.0 [no interval]"],
    ]
