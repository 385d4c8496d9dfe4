"""The documented tables, mean scores, findings, conflicts and controls."""

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    playing,
    probe,
    record,
    three,
    view_of,
)
from tellapart.longcontext.page import documented_report, sections, tables, warnings


@pytest.fixture
def view():
    return view_of(three())


def test_the_summary_has_a_row_a_case(view):
    assert texts(tables.summary(view)) == [
        ["case_1_short", "0/0", "3/4 CORRECT + 1 PASS", "✅"],
        ["case_2_long", "2/3 CORRECT", "3/7 CORRECT", "⚠️"],
        ["case_3_overflow", "1/7 CORRECT", "2/6 CORRECT (1 missing)", "❌"],
    ]


def test_what_is_asked_most_often_is_tracked_in_the_order_of_asking(view):
    groups = tables.most_asked(view)
    ids = ["C2-1", "C2-3", "V2-4", "C3-1", "C3-3", "C3-5", "C3-7", "V3-4"]
    assert [group[0].step_id for group in groups] == ids
    assert tables.times_asked(groups) == 8
    question = "What was the exact total sample size in Study 1 (Zhang et al.)?"
    assert tables.question_of(groups[0][0]) == question
    rows = texts(tables.dilution(view, groups))
    assert rows[0] == ["C2-1", "2", "~4K", "CORRECT", "N=342.", "4,100", "3,000"]
    assert [row[2] for row in rows] == ["~4K", "~10K", "~20K", "~40K", "~60K", "~80K", "~100K", "~120K"]


def test_the_banned_word_was_used_or_not_or_nobody_knows(view):
    rows = texts(tables.sink(view, tables.sink_probes(view)))
    assert [row[:5] for row in rows] == [
        ["V1-4", "1", "~2K", "PASS", "no"],
        ["V2-7", "2", "~20K", "FAIL", "yes"],
        ["V3-6", "3", "~120K", "FAIL", "yes"],
    ]
    assert tables.sink(view, tables.sink_probes(view)).note == "V2-7: the word is quoted"
    lost = probe("c", "V1", "Attention Sink", "ERROR", "Q?", "x", None)
    used = [lost, lost | {"category": "FAIL", "epoch": 1}]
    alone = view_of(record([playing("c", {"M1": 5})], [lost]))
    both = view_of(record([playing("c", {"M1": 5})], used))
    assert texts(tables.sink(alone, tables.sink_probes(alone)))[0][4] == "–"
    assert texts(tables.sink(both, tables.sink_probes(both)))[0][4] == "yes 1/2"


def baited(*words):
    asked = [
        probe(f"c{i}", "V1", "Attention Sink", "FAIL", "Nice?", "No such word.", "x", banned=word)
        for i, word in enumerate(words)
    ]
    return view_of(record([playing(f"c{i}", {"V1": 5}) for i in range(len(words))], asked))


def test_the_word_that_a_case_bans_is_named():
    shown = section(baited("bouquet", "Bouquet"), "Attention Sink Tracking")
    assert shown[2:5] == [
        "System prompt rule: never use BOUQUET", "",
        "| Checkpoint | Case | Est. Context | Score | Used BOUQUET? | Measured Tokens |",
    ]  # fmt: skip
    assert shown[6].split(" | ")[4] == "yes"
    shown = section(baited("bouquet", None, "a|b"), "Attention Sink Tracking")
    assert shown[2:5] == [
        "System prompt rule: never use BOUQUET", "", "System prompt rule: never use A\\|B"
    ]  # fmt: skip
    assert shown[6].split(" | ")[4] == "Used the banned word?"
    assert [row.split(" | ")[4] for row in shown[8:11]] == ["BOUQUET: yes", "EXCELLENT: yes", "A\\|B: yes"]


def test_mean_scores_leave_missing_grades_out_and_bound_them(view):
    rows = {row[0]: row[2:] for row in texts(warnings.means(view))}
    # Case 2: 5 right, 1 partial of 10. Case 3: 3 right, 2 partial, 7 entries of 25, 1 missing of 13.
    assert rows["case_2_long"] == ["10", "55.0", "0", "55.0–55.0"]
    assert rows["case_3_overflow"] == ["13", "35.7", "1 [judge 1]", "32.9–40.6"]
    # All: (4 + 5.5 + 4.28) of 26 that are graded, of 27 with the missing one wrong and right.
    assert rows["all"] == ["27", "53.0", "1 [judge 1]", "51.0–54.7"]


def many(cases, **changes):
    names = [f"c{number:02}" for number in range(cases)]
    probes = [
        probe(name, "V1-1", "Needle", "CORRECT", f"Where is {name}?", "there", "there", distance_tokens=1917,
              context_tokens=2003, depth=0.043)
        for name in names
    ]  # fmt: skip
    return view_of(record([playing(name, {"V1-1": 100}) for name in names], probes, **changes))


def section(view, title):
    return documented_report(view.record).split(f"\n## {title}\n")[1].split("\n## ")[0].strip().split("\n")


def test_many_cases_are_told_together_and_one_by_one_only_on_demand():
    few, more = many(12), many(13)
    assert (few.many_cases, more.many_cases) == (False, True)
    assert [row[0] for row in texts(warnings.means(more))] == ["all"]
    assert len(texts(warnings.means(few))) == 13
    shown = {section.name: section for section in sections.document(more).sections}["tokens"]
    assert (shown.tables, [table.name for table in shown.folded]) == ((), ["sizes"])
    shown = [table.name for table in sections.document(more).sections[0].tables]
    assert (shown, [table.name for table in sections.document(more).sections[0].folded]) == (
        ["means"],
        ["summary"],
    )
    assert [table.name for table in sections.document(few).sections[0].tables] == ["summary", "means"]
