"""Failure modes of the documented cases, and the heatmap."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    three,
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


def test_scores_by_mode_have_their_number_interval_and_missing_by_cause():
    rows = {row[0]: row[1:] for row in texts(mode_scores(view_of(three())))}
    # Case 2: three of three; case 3: 0.5, 0, 1, 0 and one missing. 4.5 of 7 with a score.
    n, mean, missing, bounds = rows["Attention Dilution"]
    assert (n, missing, bounds) == ("8", "1 [judge 1]", "56.2–68.8")
    assert mean.startswith("64.3 [") and "no interval" not in mean
    # One case, so nothing tells how cases differ.
    assert rows["Baseline recall"] == ["1", "100.0 [no interval]", "0", "100.0–100.0"]
    assert "Latency" not in rows and set(rows) >= {"Attention Sink", "Stress test"}
