"""Files of results that break off, or are broken."""

import json
from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.reading import read_results

REAL = (Path(__file__).parents[1] / "fixtures/case_1_smoke_result.json").read_text()


def read(tmp_path, text):
    path = tmp_path / "half.json"
    path.write_text(text)
    return read_results(path)


def test_wherever_the_documented_run_breaks_off_its_whole_steps_are_read(tmp_path):
    whole = read(tmp_path, REAL).cases[0].steps
    ends = []
    begin = REAL.index('"steps"')
    for _ in whole:
        begin = REAL.index('"timestamp"', begin + 1)
        ends.append(REAL.index("}", begin) + 1)
    assert len(ends) == 16
    for end in range(ends[0], len(REAL.rstrip()), 611):
        found = read(tmp_path, REAL[:end])
        n_whole = sum(one <= end for one in ends)
        assert found.cases[0].steps == whole[:n_whole]
        assert (
            f"read are the {n_whole} step(s) that are whole, the last is {whole[n_whole - 1].id} of"
            in (found.notes[0])
        )


def test_where_it_breaks_off_and_what_to_do(tmp_path):
    end = REAL.index('"V1-2"') + 3
    (note,) = read(tmp_path, REAL[:end]).notes
    line = REAL[:end].count("\n") + 1
    assert note == (
        f"this file breaks off in line {line}: what follows is lost; read are the 4 step(s) that are whole, "
        "the last is V1-1 of case_1_short. Export the results again if you can"
    )


def test_before_the_first_whole_step_there_is_nothing_to_read(tmp_path):
    for end in (1, 20, REAL.index('"M1"') + 2, REAL.index('"httpStatus"')):
        with pytest.raises(InputError, match=r"breaks off in line \d+, before its first step is complete"):
            read(tmp_path, REAL[:end])


STEPS = [
    {"stepId": f"V1-{n}", "userMessage": 'a } ] " { [ \\', "usage": {"prompt_tokens": n}} for n in (1, 2)
]


def case(name, **further):
    return {**further, "caseName": name, "steps": STEPS}


@pytest.mark.parametrize("wrapped", [True, False])
def test_brackets_in_texts_and_a_list_of_cases(tmp_path, wrapped):
    cases = [case("a"), case("b")]
    text = json.dumps({"cases": cases} if wrapped else cases)
    end = text.rindex('"V1-2"')
    for cut in range(end, len(text) - 3 - wrapped):
        found = read(tmp_path, text[:cut])
        assert [(one.name, len(one.steps)) for one in found.cases] == [("a", 2), ("b", 1)]
    # In the second case's head, and between the cases.
    for cut in (text.rindex('"b"'), text.rindex('"caseName"') - 3):
        assert [(one.name, len(one.steps)) for one in read(tmp_path, text[:cut]).cases] == [("a", 2)]


def test_a_case_whose_model_is_lost_is_left_out_where_others_have_theirs(tmp_path):
    cases = [{**case("a"), "model": "m", "epoch": 1}, {**case("b"), "model": "m", "epoch": 1}]
    text = json.dumps({"cases": cases})
    cut = text[: text.rindex('"V1-2"')]
    found = read(tmp_path, cut)
    assert [(one.name, one.model) for one in found.cases] == [("a", "m")]
    assert "the model of 'b' is lost, so this case is left out; read are the 2 step(s)" in found.notes[0]
    ahead = json.dumps({"cases": [case("a", model="m"), case("b", model="n")]})
    found = read(tmp_path, ahead[: ahead.rindex('"V1-2"')])
    assert [(one.name, one.model, len(one.steps)) for one in found.cases] == [("a", "m", 2), ("b", "n", 1)]
    # The case that is whole keeps its own, whatever follows it.
    between = json.dumps({"cases": [case("a", model="m"), case("b")]})
    found = read(tmp_path, between[:-2])
    assert [(one.name, one.model) for one in found.cases] == [("a", "m"), ("b", "half")]


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        # A bracket is missing in the middle: what follows would be read as part of the step before it.
        (
            REAL.replace("}\n                },", "}\n                ,", 1).replace("},\n", ",\n", 1),
            "this is not JSON: Expecting .* Repair it there",
        ),
        (REAL.replace('"stepId": "V1-2"', '"stepId" "V1-2"'), "this is not JSON: .* Repair it there"),
        (REAL.replace('"stepId": "V1-2"', '"stepId": "V1-2'), "this is not JSON: .* Repair it there"),
        (REAL.rstrip() + "}", "goes on after the end of the JSON, with '}'"),
        (REAL + REAL, "a second document begins here"),
    ],
)
def test_a_file_that_is_broken_in_the_middle_is_not_read(tmp_path, broken, complaint):
    assert broken != REAL
    with pytest.raises(InputError, match=rf"half.json:\d+:\d+: {complaint}"):
        read(tmp_path, broken)
