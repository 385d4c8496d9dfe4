from pathlib import Path

import pytest

from tellapart.errors import InputError
from tellapart.longcontext.case import Case, CaseStep, continuing
from tellapart.longcontext.reading import read_case

REAL = Path(__file__).parent / "fixtures"


def test_the_documented_third_case_after_the_second():
    second, third = (read_case(REAL / f"case_{name}.txt") for name in ("2_long", "3_overflow"))
    case = continuing(third, second)
    assert [step.id for step in case.steps[:13]] == [
        *("M1", "M2", "M3", "C2-1", "M4", "M5", "C2-2", "M6", "M7", "C2-3", "M8", "M9", "M10")
    ]
    assert case.steps[13:] == third.steps
    assert (case.name, case.system, case.note) == ("case_3_overflow", third.system, third.note)


def test_steps_of_the_same_id_are_refused_but_not_with_a_verification_that_is_left_out():
    steps = (CaseStep("M1", "message", "x", line=3), CaseStep("V1", "verification", "y"))
    first = Case("a", None, steps, source="a.txt")
    with pytest.raises(InputError, match=r"^b.txt:7: the step M1 is also in a.txt:3, which this case"):
        continuing(Case("b", None, (CaseStep("M1", "message", "z", line=7),), source="b.txt"), first)
    case = continuing(Case("b", None, (CaseStep("V1", "verification", "z"),)), first)
    assert [step.text for step in case.steps] == ["x", "z"]
