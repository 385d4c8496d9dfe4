"""What each section of a page holds: tables by value, titles of charts, the data of the browser."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import documented, playing, probe, record, three, view_of
from tellapart.longcontext.page.document import document
from tellapart.longcontext.page.scores import UNSAID, modes_of


def tables(made):
    return {
        table.name: texts(table)
        for section in document(view_of(made)).sections
        for table in (*section.tables, *section.folded)
    }


def test_means_count_missing_grades_as_bounds():
    # Case 2: 5 right, 1 partial of 10. Case 3: 3 right, 2 partial, 7 entries of 25, 1 missing of 13.
    # All: (4 + 5.5 + 4.28) of 26 that are graded, of 27 with the missing one wrong and right.
    assert [[row[0], *row[2:]] for row in tables(three())["means"][1:]] == [
        ["case_2_long", "10", "55.0", "0", "55.0–55.0"],
        ["case_3_overflow", "13", "35.7", "1 [judge 1]", "32.9–40.6"],
        ["all", "27", "53.0", "1 [judge 1]", "51.0–54.7"],
    ]
    # Case 2: three of three; case 3: 0.5, 0, 1, 0 and one missing. 4.5 of 7 with a score.
    scores = {row[0]: row[1:] for row in tables(three())["mode-scores"]}
    n, mean, *others = scores["Attention Dilution"]
    assert (n, mean.split(" [")[0], *others) == ("8", "64.3", "1 [judge 1]", "56.2–68.8")


@pytest.mark.parametrize(
    ("right", "of", "missing", "said", "sign"),
    [
        # The document's rows: 2/3 and 4/7 are mixed, 1/7 and 2/6 are bad.
        (2, 3, 0, "2/3 CORRECT", "◐"),
        (4, 7, 0, "4/7 CORRECT", "◐"),
        (1, 7, 0, "1/7 CORRECT", "✗"),
        (5, 5, 0, "5/5 CORRECT", "✓"),
        # One right of four at worst, three at best: less than half, or more.
        (1, 4, 2, "1/4 CORRECT (2 missing)", "–"),
    ],
)
def test_signs_are_those_that_missing_grades_cannot_change(right, of, missing, said, sign):
    grades = ["CORRECT"] * right + ["EVAL_ERROR"] * missing + ["REFUSED"] * (of - right - missing)
    probes = [probe("c", f"V{i}", None, grade, "Q?", "x", "y") for i, grade in enumerate(grades)]
    assert tables(record([playing("c", {"M1": 5})], probes))["summary"] == [["c", "0/0", said, sign]]


def test_controls_have_a_table_of_their_own():
    control = "deepseek-chat (closed-book)"
    made = record(
        [playing("c", {"V1": 5}), playing("c", {"V1": 5}, model=control, control="closed-book")],
        [
            probe("c", "V1", None, "CORRECT", "Q?", "x", "x"),
            probe("c", "V1", None, "CORRECT", "Q?", "x", "x", model=control),
            probe("c", "V2", None, "ERROR", "R?", "x", None, model=control, missing="provider"),
        ],
    )
    assert tables(made)["controls"] == [[control, "2", "100.0", "1 [provider 1]", "50.0–100.0"]]
    assert "### Controls\n\n| Control | Probes |" in documented(made)
    assert "controls" not in tables(three())


@pytest.mark.parametrize(
    ("said", "modes"),
    [
        ("Source Attribution — baseline", ["Source Attribution"]),
        ("Confabulation + Lost in the Middle — TRAP QUESTION", ["Confabulation", "Lost in the Middle"]),
        ("cross contamination", ["Cross-contamination"]),
        ("Stress test - full enumeration", ["Stress test"]),
        ("Recency Bias probe, after Study 19", ["Recency Bias"]),
        (None, [UNSAID]),
    ],
)
def test_a_mode_is_named_as_the_documents_rows_are(said, modes):
    assert list(modes_of(said)) == modes
