import pytest

from report.audit.stored_figures import figures
from tellapart.audit.findings import Flag, Variance
from tellapart.audit.pairs import Action, Cause, Verdict
from tellapart.report.audit.record import load
from tellapart.report.audit.words import (
    ACTIONS,
    CAUSES,
    FLAGS,
    PARTS,
    SIGNS,
    VERDICTS,
    Scale,
    bounds,
    phrase,
    scale,
    shortened,
)


@pytest.mark.parametrize(
    ("words", "known"),
    [(CAUSES, Cause), (ACTIONS, Action), (FLAGS, Flag), (VERDICTS, Verdict), (SIGNS, Verdict)],
)
def test_whatever_an_audit_can_say_has_words(words, known):
    assert set(words) == {one.value for one in known}


def test_every_part_of_the_variance_has_words():
    assert list(PARTS) == [name for name in Variance.__dataclass_fields__ if name != "reason"]


def test_what_has_no_words_is_words_itself():
    assert phrase(CAUSES, "wet_paper") == "wet paper"


def test_rates_are_percent_and_points():
    form = Scale(rates=True)
    assert (form.mean(0.835), form.gap(-0.004), form.size(0.02), form.size(0.01)) == (
        "83.5",
        "−0.4",
        "2 points",
        "1 point",
    )
    assert (form.span([0.1, 0.2]), form.gap_span([-0.1, 0.2])) == ("10.0–20.0", "−10.0 to +20.0")


def test_other_scores_have_three_significant_digits():
    form = Scale(rates=False)
    assert (form.mean(4.1234), form.gap(0.2134), form.size(0.02)) == ("4.12", "+0.213", "0.02")
    assert form.gap_span([-1.0, 2.0]) == "−1 to +2"


@pytest.mark.parametrize(("limits", "rates"), [([0, 1], True), ([0, 100], False), ([None, None], False)])
def test_the_limits_say_which(limits, rates):
    assert scale(load({**figures(), "limits": limits})).rates is rates


def test_bounds_without_a_limit_are_told():
    assert bounds(Scale(rates=True), (None, 0.5)) == "no limit to 50.0"
    assert bounds(Scale(rates=True), (0.25, 0.25)) == "25.0"
    assert bounds(Scale(rates=True), (-0.1, 0.2), gap=True) == "−10.0 to +20.0"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 5, "short"),
        ("model-large-v1", 9, "mode…e-v1"),
        # Wide letters take two columns each: two before and two after fit in nine.
        ("模型模型模型", 9, "模型…模型"),
    ],
)
def test_names_are_cut_in_their_middle(text, width, expected):
    assert shortened(text, width) == expected
