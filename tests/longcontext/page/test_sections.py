"""What each section of a page holds: tables by value, titles of charts, the data of the browser."""

import pytest

from contrastive.page.shown import texts, words
from longcontext.page.graded_record import (
    FORGED,
    documented,
    playing,
    probe,
    record,
    three,
    view_of,
)
from tellapart.longcontext.page.document import document
from tellapart.longcontext.page.scores import UNSAID, modes_of


def sections(made):
    return {section.name: section for section in document(view_of(made)).sections}


def tables(made):
    return {
        table.name: texts(table)
        for section in document(view_of(made)).sections
        for table in (*section.tables, *section.folded)
    }


def charts(made):
    return {chart.name: chart for section in document(view_of(made)).sections for chart in section.charts}


def markdown(made, title):
    return documented(made).split(f"\n## {title}\n")[1].split("\n## ")[0].strip().split("\n")


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
        (3, 6, 0, "3/6 CORRECT", "◐"),
        (5, 5, 0, "5/5 CORRECT", "✓"),
        # One right of four at worst, three at best: less than half, or more.
        (1, 4, 2, "1/4 CORRECT (2 missing)", "–"),
    ],
)
def test_signs_are_those_that_missing_grades_cannot_change(right, of, missing, said, sign):
    grades = ["CORRECT"] * right + ["EVAL_ERROR"] * missing + ["REFUSED"] * (of - right - missing)
    probes = [probe("c", f"V{i}", None, grade, "Q?", "x", "y") for i, grade in enumerate(grades)]
    assert tables(record([playing("c", {"M1": 5})], probes))["summary"] == [["c", "0/0", said, sign]]


@pytest.mark.parametrize(
    ("said", "modes"),
    [
        ("Baseline recall", ["Baseline recall"]),
        ("Source Attribution — baseline", ["Source Attribution"]),
        ("Attention Dilution - check 4", ["Attention Dilution"]),
        ("Confabulation + Lost in the Middle — TRAP QUESTION", ["Confabulation", "Lost in the Middle"]),
        ("cross contamination", ["Cross-contamination"]),
        ("Stress test - full enumeration", ["Stress test"]),
        ("Recency Bias probe, after Study 19", ["Recency Bias"]),
        ("Confabulation + confabulation again", ["Confabulation"]),
        (None, [UNSAID]),
    ],
)
def test_a_mode_is_named_as_the_documents_rows_are(said, modes):
    assert list(modes_of(said)) == modes


def baited(*words, **changes):
    probes = [
        probe(f"c{i}", "V1", "Attention Sink", "FAIL", "Nice?", "No such word.", "x", banned=word)
        for i, word in enumerate(words)
    ]
    return record([playing(f"c{i}", {"V1": 5}) for i in range(len(words))], probes)


def test_the_word_that_a_case_bans_is_named():
    shown = markdown(baited("bouquet", "Bouquet"), "Attention Sink Tracking")
    assert shown[2] == "System prompt rule: never use BOUQUET"
    assert shown[4].startswith("| Checkpoint | Case | Est. Context | Score | Used BOUQUET? |")
    shown = markdown(baited("bouquet", None, "a|b"), "Attention Sink Tracking")
    assert shown[2:5:2] == [
        "System prompt rule: never use BOUQUET",
        "System prompt rule: never use A\\|B",
    ]
    assert [row.split(" | ")[4] for row in shown[8:11]] == ["BOUQUET: yes", "EXCELLENT: yes", "A\\|B: yes"]


def test_many_cases_are_shown_together_and_one_by_one_only_on_demand():
    def many(cases):
        names = [f"c{number:02}" for number in range(cases)]
        probes = [
            probe(name, "V1-1", "Needle", "CORRECT", f"Where is {name}?", "there", "there") for name in names
        ]
        return record([playing(name, {"V1-1": 100}) for name in names], probes)

    few, more = sections(many(12)), sections(many(13))
    assert [table.name for table in few["summary"].tables] == ["summary", "means"]
    assert [table.name for table in more["summary"].tables] == ["means"]
    assert [table.name for table in (*more["summary"].folded, *more["tokens"].folded)] == ["summary", "sizes"]
    assert [row[0] for row in tables(many(13))["means"]] == ["all"]


def test_the_first_cut_is_in_the_title_and_named_in_the_picture():
    assert {*charts(three())} == {"prompt-tokens"}
    chart = charts(three())["prompt-tokens"]
    assert chart.title == "case_3_overflow lost context at step C3-5: 20,100 prompt tokens after 21,900"
    assert words(chart).count("C3-5") == 2


def test_the_browser_has_every_text_once_and_everything_of_a_probe():
    data = sections(three())["probes"].widget.data
    for name in ("models", "cases", "modes", "categories", "texts"):
        assert len(data[name]) == len({*data[name]}), name
    rows = {row["step"]: row for row in data["probes"]}
    assert len(rows) == 27
    trap = rows["V2-1"]
    assert data["texts"][trap["actual"]] == FORGED
    assert [data["modes"][mode] for mode in trap["modes"]] == ["Confabulation", "Lost in the Middle"]
    assert data["categories"][trap["category"]] == trap["shown"] == "HALLUCINATED"
    assert ["Key detail", "| forged | row |"] in trap["more"]
    assert rows["C2-1"]["tokens"] == [
        ["context, intended", "~4K"], ["context, measured", 4100], ["since the nearest evidence", 3000],
        ["depth of that evidence", 0.268],
    ]  # fmt: skip
    assert data["texts"][rows["C3-6"]["expected"]] == "(no answer is known)"
    # Right, right, part, wrong, missing.
    assert [rows[step]["mark"] for step in ("V1-1", "V1-4", "C3-1", "V2-7", "V3-4")] == [0, 0, 1, 2, 3]
