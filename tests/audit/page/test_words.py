import pytest

from audit.page.stored_figures import figures, load
from tellapart.audit.page.sentences import ACTIONS, CAUSES, FLAGS, PARTS, SIGNS, bounds, phrase, scale
from tellapart.audit.results import Action, Cause, Flag, Variance
from tellapart.core.comparison import Verdict
from tellapart.report.comparison import Scale


@pytest.mark.parametrize(
    ("words", "known"),
    [(CAUSES, Cause), (ACTIONS, Action), (FLAGS, Flag), (SIGNS, Verdict)],
)
def test_whatever_an_audit_can_say_has_words(words, known):
    assert set(words) == {one.value for one in known}


def test_every_part_of_the_variance_has_words():
    assert list(PARTS) == [name for name in Variance.model_fields if name != "reason"]


def test_what_has_no_words_is_words_itself():
    assert phrase(CAUSES, "wet_paper") == "wet paper"


@pytest.mark.parametrize(("limits", "rates"), [([0, 1], True), ([0, 100], False), ([None, None], False)])
def test_the_limits_say_which(limits, rates):
    assert scale(load({**figures(), "limits": limits})).rates is rates


def test_bounds_without_a_limit_are_told():
    assert bounds(Scale(rates=True), (None, 0.5)) == "no limit to 50.0"
    assert bounds(Scale(rates=True), (0.25, 0.25)) == "25.0"
    assert bounds(Scale(rates=True), (-0.1, 0.2), gap=True) == "−10.0 to +20.0"
