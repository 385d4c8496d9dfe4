"""Which probes are points of the curves of length, and at which length they count."""

from longcontext.grading.judged_lines import played
from tellapart.longcontext.case import AnswerKey, Expected
from tellapart.longcontext.curves import points_of
from tellapart.longcontext.grades import Grade, GradedProbe, intended_tokens
from tellapart.longcontext.transcript import Usage

GRADES = (Grade("PARTIAL", "One is wrong."),)


def graded(step_id, expected=None, **step):
    return GradedProbe("m", "case_2", 1, played("x", id=step_id, **step), expected, GRADES, 70, 0.25)


def test_a_verification_has_the_design_length_of_its_case_where_it_has_none_itself():
    def intended(step_id, expected, **cases):
        return intended_tokens(graded(step_id, expected), AnswerKey({}, cases={"2": 20_000, **cases}))

    assert intended("V2-4", Expected("V2-4", intended_tokens=4_000), case_2=8_000) == 4_000
    assert intended("V2-4", Expected("V2-4", "x"), case_2=8_000) == intended("V2-4", None, case_2=8_000)
    assert intended("V2-4", None, case_2=8_000) == 8_000
    # A checkpoint is asked on the way, and what a table of answers says of its case was not asked for.
    assert intended("C2-1", None, case_2=8_000) is None
    assert intended("V2-4", None) is None


def test_only_what_messages_said_is_a_point():
    modes = ("Attention Dilution", "Attention Sink", "Recency Bias", "Enumeration")
    probes = [
        graded("V2-4", mode=mode, question=f"Quick recall: {mode}?", usage=Usage(120)) for mode in modes
    ]
    found = points_of(probes, AnswerKey({}, cases={"case_2": 8_000}))
    assert [probe.item for probe in found] == ["attention dilution?", "enumeration?"]
    first = found[0]
    assert (first.context_tokens, first.distance_tokens, first.depth) == (120, 70, 0.25)
    assert (first.value, first.missing, first.intended_tokens) == (0.5, None, 8_000)
