import json

import pytest

from longcontext.importing.data_sets import mrcr, parquet, turns
from tellapart.longcontext.importing import form_of, import_cases
from tellapart.longcontext.reading import read_cases


def imported(tmp_path, *rows):
    path = parquet(tmp_path / "2needle_0.parquet", rows)
    record = import_cases(path, form_of(path), tmp_path / "cases")
    return record, read_cases([tmp_path / "cases"])


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
