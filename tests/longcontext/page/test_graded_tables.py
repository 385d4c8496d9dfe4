"""The documented tables, mean scores, findings, conflicts and controls."""

from dataclasses import asdict

import pytest

from contrastive.page.shown import texts
from longcontext.page.graded_record import (
    finding,
    long_case,
    playing,
    probe,
    record,
    refused,
    three,
    two_models,
    view_of,
)
from tellapart.longcontext.lint.findings import counted
from tellapart.longcontext.lint.findings import finding as make
from tellapart.longcontext.page import documented_report, figures, sections, tables, warnings
from tellapart.longcontext.page.view import grouped
from tellapart.store import RunRecord


@pytest.fixture
def view():
    return view_of(three())


def test_the_summary_has_a_row_a_case(view):
    assert texts(tables.summary(view)) == [
        ["case_1_short", "0/0", "3/4 CORRECT + 1 PASS", "✅"],
        ["case_2_long", "2/3 CORRECT", "3/7 CORRECT", "⚠️"],
        ["case_3_overflow", "1/7 CORRECT", "2/6 CORRECT (1 missing)", "❌"],
    ]


def test_the_summary_of_two_models_counts_their_epochs_together():
    shown = tables.summary(view_of(two_models()))
    assert [column.title for column in shown.columns] == [
        "Case", "Checkpoints", "Verifications", "Score", "Model",
    ]  # fmt: skip
    assert texts(shown) == [
        ["recall", "0/0", "2/2 CORRECT", "✅", "alpha"],
        ["recall", "0/0", "1/2 CORRECT", "⚠️", "beta"],
    ]
    assert shown.note.endswith("Answers of 2 epochs are counted together.")


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


def test_epochs_of_one_place_are_not_another_asking():
    assert tables.most_asked(view_of(two_models())) == []


def test_a_banned_word_is_no_question_that_is_asked_again():
    asked = [probe("c", f"V{i}", "Attention Sink", "PASS", "Excellent?", "No.", "Fine.") for i in range(3)]
    view = view_of(record([playing("c", {"M1": 5})], asked))
    assert tables.most_asked(view) == []
    assert len(tables.sink_probes(view)) == 3


def test_answers_are_shortened_and_absent_ones_named():
    asked = [
        probe("c", "V1", None, "CORRECT", "Q?", "x", "y" * 400),
        probe("c", "V2", None, "ERROR", "Q?", "x", None, missing="provider"),
    ]
    view = view_of(record([playing("c", {"M1": 5})], asked))
    long, none = texts(tables.dilution(view, tables.most_asked(view)))
    assert long[4] == "y" * 299 + "…"
    assert none[4] == "(no response)"
    assert none[5:] == ["–¹", "–²"]


def test_answers_of_epochs_are_counted():
    asked = [
        probe("c", step, None, "CORRECT", "Q?", "x", answer, epoch=epoch, context_tokens=tokens)
        for step in ("V1", "V2")
        for epoch, (answer, tokens) in enumerate((("a", 1000), ("b", 1200), ("a", 1100)))
    ]
    cases = [playing("c", {"M1": 5}, epoch=epoch) for epoch in range(3)]
    view = view_of(record(cases, asked))
    row = texts(tables.dilution(view, tables.most_asked(view)))[0]
    assert row[3:6] == ["CORRECT 3/3", "a (2/3) / b (1/3)", "1,000–1,200"]


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


def test_nothing_graded_is_undefined_not_zero():
    rows = {row[0]: row[2:] for row in texts(warnings.means(view_of(refused())))}
    assert rows["case_1_short"] == ["0", "–¹", "0", "–²"]
    assert rows["case_3_overflow_fixed"] == ["1", "–¹", "1 [provider 1]", "0.0–100.0"]


def test_errors_come_first_and_else_the_order_is_kept():
    given = [finding(s, c, None, None, "x") for s, c in (("info", "a"), ("error", "b"), ("warning", "c"),
                                                         ("error", "d"))]  # fmt: skip
    view = view_of(record([], [], findings=given))
    found = warnings.findings(view)
    assert [one.finding.check for one in found] == ["b", "d", "c", "a"]
    assert warnings.counted(view) == "2 errors and 1 warning"
    assert texts(warnings.findings_table(found))[0] == ["error", "b", "", "", "x"]


def test_what_is_said_of_several_steps_is_said_once():
    given = [finding("warning", "a", "c", step, "x") for step in ("V1", "V2")]
    given += [finding("warning", "a", "d", "V3", "x"), finding("warning", "a", "d", "V3", "y")]
    view = view_of(record([], [], findings=given))
    assert texts(warnings.findings_table(warnings.findings(view))) == [
        ["warning", "a", "c, d", "V1, V2, V3", "x"],
        ["warning", "a", "d", "V3", "y"],
    ]


def test_findings_are_counted_alike_wherever_they_are_shown():
    shares = {"V1": 0.25, "V2": 0.5}
    given = [finding("error", "b", "c", "V1", "y")]
    given += [asdict(make("warning", "a", "c", step, "at {share}", share=n)) for step, n in shares.items()]
    view = view_of(record([], [], findings=given))
    assert texts(warnings.findings_table(warnings.grave(view)))[1][3:] == ["V1, V2", "at 25 % to 50 %"]
    said = "1 error and 1 warning"
    assert warnings.counted(view) == said
    assert f"\n{said}.\n" in documented_report(view.record)
    (section,) = [one for one in sections.document(view).sections if one.name == "findings"]
    assert section.text == f"{said}."
    reported = figures(view)
    assert f"{said} in the report, under Findings." in reported["sentences"]
    assert reported["finding_counts"] == {"error": 1, "warning": 1, "info": 0}
    assert len(reported["findings"]) == 3
    assert counted(view.record.findings) == "1 error, 1 warning, 0 infos"


def test_conflicts_are_counted_among_what_both_graded(view):
    made = two_models()
    shown = warnings.conflicts(view_of(made))
    assert texts(shown) == [["recall V1", "beta", "1", "HALLUCINATED", "CORRECT"]]
    assert shown.note == (
        "Judge and rules disagree on 1 of 4 answers that both graded. Where both graded, the judge's grade "
        "counts."
    )
    assert warnings.conflicts(view) is None
    of_control = made["conflicts"][0] | {"model": "alpha (closed-book)"}
    with_control = view_of(made | {"conflicts": [of_control, *made["conflicts"]]})
    assert texts(warnings.conflicts(with_control)) == texts(shown)
    assert warnings.disagreement(with_control) == warnings.disagreement(view_of(made))


def test_answers_that_only_one_grader_graded_are_counted_by_cause(view):
    graders = {"both": 17, "only_rules": {"judge": 6, "no judge needed": 3}, "only_judge": {"infeasible": 1}}
    assert warnings.disagreement(view_of(two_models() | {"graders": graders})) == (
        "Judge and rules disagree on 1 of 17 answers that both graded. Graded 9 only by the rules (judge 6, "
        "no judge needed 3) and 1 only by the judge (infeasible 1)."
    )
    assert warnings.disagreement(view) == ""
    earlier = two_models()
    del earlier["graders"]
    assert warnings.disagreement(view_of(earlier)) == "Judge and rules disagree on 1 answer."


def test_controls_are_no_model_of_the_experiment_unless_there_is_nothing_else(view):
    both = view_of(two_models())
    assert (both.models, both.controls) == (("alpha", "beta"), ("alpha (closed-book)",))
    assert texts(warnings.controls(both)) == [["alpha (closed-book)", "0/1 CORRECT", "0.0", "0"]]
    assert warnings.controls(view) is None
    alone = view_of(record([playing("c", {"V1": 5}, control="oracle")], []))
    assert (alone.models, alone.controls) == (("deepseek-chat",), ())


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (("case_1_short", "case_3_overflow_fixed"), ["1", "3"]),
        (("Case 12", "case-4"), ["12", "4"]),
        (("case_1_a", "case_1_b"), ["1", "2"]),
        (("case_7", "needles"), ["1", "2"]),
    ],
)
def test_cases_have_the_numbers_in_their_names_or_their_places(names, numbers):
    view = view_of(record([playing(name, {"M1": 5}) for name in names], []))
    assert list(view.numbers.values()) == numbers


def test_groups_keep_the_order_of_places_whatever_the_order_of_models():
    first, second = long_case()[:2]
    beta = {"model": "beta"}
    probes = [first | beta, second | beta, first, second, first | beta | {"epoch": 1}]
    groups = grouped(view_of(record([], probes)).probes)
    told = [(group[0].step_id, group[0].model, len(group)) for group in groups]
    assert told == [
        ("C2-1", "beta", 2), ("C2-1", "deepseek-chat", 1), ("C2-2", "beta", 1), ("C2-2", "deepseek-chat", 1),
    ]  # fmt: skip


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


def test_the_heatmap_and_the_sizes_of_many_cases_have_a_column_and_a_row_a_model():
    assert section(many(13), "Failure Mode Heatmap")[2:5] == [
        "| Failure Mode | 13 cases |", "|---|---|", "| Needle | ✅ 100.0 %: CORRECT 13/13 |",
    ]  # fmt: skip
    assert section(many(12), "Failure Mode Heatmap")[2].startswith("| Failure Mode | c00 | c01 |")
    sizes = section(many(13), "Token Analysis & Observations")
    assert sizes[2:4] == ["| 13 conversations | 1 | 2 | 150 | – |", ""]
    assert section(many(12), "Token Analysis & Observations")[2] == "| c00 | 1 | 2 | 150 | – |"


def run_with(**inputs):
    made = RunRecord.model_construct(tellapart_version="1", seed=0, inputs=inputs)
    return sections.document(view_of(three(), run=made)).origin


def test_hashes_of_many_files_of_a_kind_are_counted():
    six = {f"case {i}": f"h{i}" for i in range(6)}
    assert run_with(**{"results 1": "h"}, **six)["Input case 5 (SHA-256)"] == "h5"
    found = run_with(**{"results 1": "h"}, **six, **{"case 6": "h6"})
    assert found["Input results 1 (SHA-256)"] == "h"
    assert found["Inputs case (SHA-256)"] == "of 7 files, each in run.json"
    assert "Input case 5 (SHA-256)" not in found


def test_of_many_cases_distances_stand_with_their_probes():
    given = [
        finding("info", "distance", "c00", "V1-1", "far"),
        finding("info", "distance", None, None, "all"),
    ]
    line = "- **Evidence:** ~1,917 tokens before the question, context 2,003, depth 4 %"
    few, more = many(12, findings=given), many(13, findings=given)
    assert section(few, "For Information")[2:] == [
        "| info | distance | c00 | V1-1 | far |", "| info | distance |  |  | all |",
    ]  # fmt: skip
    assert section(more, "For Information") == [
        "The distance of the evidence stands with each probe.", "",
        "| Severity | Check | Case | Step | Finding |", "|---|---|---|---|---|",
        "| info | distance |  |  | all |",
    ]  # fmt: skip
    assert documented_report(more.record).count(line) == 13
    assert line not in documented_report(few.record)
    assert section(many(13, findings=given[:1]), "For Information") == [
        "The distance of the evidence stands with each probe."
    ]
    shown = {section.name: section for section in sections.document(more).sections}
    assert "findings" not in shown
    assert shown["information"].text == "The distance of the evidence stands with each probe."


def test_many_cases_are_told_together_and_one_by_one_only_on_demand():
    few, more = many(12), many(13)
    assert (tables.many_cases(few), tables.many_cases(more)) == (False, True)
    assert [row[0] for row in texts(warnings.means(more, by_case=False))] == ["all"]
    assert len(texts(warnings.means(few))) == 13
    shown = {section.name: section for section in sections.document(more).sections}["tokens"]
    assert [table.name for table in (*shown.tables, *shown.folded)] == ["sizes-together", "sizes"]
    shown = [table.name for table in sections.document(more).sections[0].tables]
    assert (shown, [table.name for table in sections.document(more).sections[0].folded]) == (
        ["means"],
        ["summary"],
    )
    assert [table.name for table in sections.document(few).sections[0].tables] == ["summary", "means"]
