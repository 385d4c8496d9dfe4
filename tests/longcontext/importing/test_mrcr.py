import json

import pytest

from longcontext.importing.data_sets import mrcr, parquet, turns, written
from tellapart.errors import InputError
from tellapart.longcontext.case import Expected
from tellapart.longcontext.importing import form_called, form_of, import_cases
from tellapart.longcontext.lint import lint_all, lint_inputs
from tellapart.longcontext.reading import read_cases


def imported(tmp_path, *rows):
    path = parquet(tmp_path / "2needle_0.parquet", rows)
    record = import_cases(path, form_of(path), tmp_path / "cases")
    return record, read_cases([tmp_path / "cases"])


def test_all_turns_but_the_last_are_history(tmp_path):
    record, (case,) = imported(tmp_path, mrcr())
    assert [(step.id, step.text, step.reply) for step in case.messages] == [
        ("M1", "Write a poem about a tapir.", "Grey nose, soft tread."),
        ("M2", "Write a riddle about rain.", "I fall and never rise."),
        ("M3", "Write a poem about a tapir.", "By night it swims."),
    ]
    (probe,) = case.probes
    assert probe.text == "Prepend kX3 to the 2nd poem about a tapir. Give nothing else."
    assert probe.expected == Expected(
        *("V1", "kX3By night it swims.", "2 needles"),
        evidence=("By night it swims.",),
        rule="sequence-ratio",
        prefix="kX3",
    )
    assert (case.name, case.system, case.origin.record) == ("2needles-0001", None, "row 1")
    assert (record.left_out, record.changes, record.questions) == ((), {}, {"2 needles": 1})


def test_lint_finds_the_needle_in_the_reply_that_is_asked_for(tmp_path):
    _, cases = imported(tmp_path, mrcr())
    findings = lint_all(lint_inputs(cases, [], None, None, None))
    assert [f.message for f in findings if f.severity != "info"] == []
    assert any("evidence in M3" in f.message for f in findings)


def test_turns_in_a_row_are_joined_and_a_system_prompt_is_one(tmp_path):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Examples follow."},
        *turns("A poem.", "By night it swims.", "Prepend kX3 to it."),
    ]
    row = mrcr(prompt=json.dumps(messages), desired_msg_index=3)
    record, (case,) = imported(tmp_path, row)
    assert (case.system, case.messages[0].text) == ("Be brief.", "Examples follow.\n\nA poem.")
    assert record.changes == {"turns joined with the one before, which has the same role": 1}


def test_an_answer_that_stands_nowhere_has_no_evidence(tmp_path):
    record, (case,) = imported(tmp_path, mrcr(answer="kX3Other words."))
    assert case.probes[0].expected.evidence == ()
    assert record.changes == {"questions whose answer is none of the messages: without evidence": 1}


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"answer": "By night it swims."}, "'answer' does not begin with 'random_string_to_prepend'"),
        ({"desired_msg_index": 7}, "'desired_msg_index' is outside of the prompt"),
        ({"prompt": None}, "'prompt' is null, expected a text"),
        ({"prompt": '[{"role": "user"'}, "'prompt':1:17: "),
        ({"prompt": '[{"role": "user"}]'}, "'messages[0].content' is missing"),
        ({"prompt": json.dumps(turns("a", "b") * 3)}, "its prompt does not end with a question"),
    ],
)
def test_a_row_that_cannot_be_used_is_left_out_and_counted(tmp_path, change, cause):
    record, cases = imported(tmp_path, mrcr(), mrcr(**change))
    (group,) = record.left_out
    assert group.cause.startswith(cause)
    assert (group.first, len(cases)) == (("row 2",), 1)


def test_what_is_no_table_of_this_form_is_refused(tmp_path):
    path = parquet(tmp_path / "other.parquet", [{"prompt": "a"}])
    with pytest.raises(InputError, match="there is no column 'answer', 'desired_msg_index', 'n_needles', "):
        import_cases(path, form_called("mrcr"), tmp_path / "cases")
    with pytest.raises(InputError, match="expected a table in Parquet"):
        import_cases(written(tmp_path / "a.json", [1]), form_called("mrcr"), tmp_path / "cases")
    path = parquet(tmp_path / "whole.parquet", [mrcr()])
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"cut\.parquet: damaged or cut off"):
        form_of(tmp_path / "cut.parquet")
