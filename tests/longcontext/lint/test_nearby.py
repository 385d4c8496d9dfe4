"""The distance of many probes, put together for people."""

from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.lint import lint_all, lint_inputs
from tellapart.longcontext.lint.distances import together

FILL = "x" * 400


def case(name, probes, intended=None):
    """The evidence, and so often 400 characters (100 tokens) and a probe."""
    steps = [CaseStep("M0", "message", "The colour of Ada is blue7.")]
    for n in range(probes):
        known = Expected(f"V{n}", "blue7", evidence=("blue7",), intended_tokens=intended)
        steps += [
            CaseStep(f"M{n + 1}", "message", FILL),
            CaseStep(f"V{n}", "verification", "Which?", None, known),
        ]
    return Case(name, None, tuple(steps))


def put(*cases):
    subject = lint_inputs(cases, (), None, None, None)
    findings = lint_all(subject)
    return findings, together(findings, subject)


def far(findings):
    return [one for one in findings if one.check == "distance"]


def test_one_more_is_one_line_with_least_most_and_median():
    findings, shown = put(case("a", 21))
    (line,) = far(shown)
    # A full stop and 400 characters are 100.25 tokens, and each further probe puts 406 between: 101.5.
    # So 100.25, 20 x 101.5 more, and in the middle 10 x 101.5 more, each rounded up.
    assert (line.severity, line.case, line.step) == ("info", None, None)
    assert line.message == (
        "21 probes: evidence ~101 to ~2,131 tokens before the question (median ~1,116); --json has each"
    )
    assert [one for one in shown if one.check != "distance"] == [
        one for one in findings if one.check != "distance"
    ]


def test_one_line_a_length_that_was_meant_the_shortest_first():
    cases = [case(f"c{n}", 3, intended) for n, intended in enumerate([16_000, 2_000] * 6 + [1_000])]
    said = [one.message.partition(":")[0] for one in far(put(*cases)[1])]
    assert said == [
        "3 probes meant at 1,000 tokens",
        "18 probes meant at 2,000 tokens",
        "18 probes meant at 16,000 tokens",
    ]
