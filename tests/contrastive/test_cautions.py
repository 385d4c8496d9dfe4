from types import SimpleNamespace

from tellapart.contrastive.figures import Control, cautions
from tellapart.core.comparison import judge_chance
from tellapart.core.estimate import Interval


def control(value, low, high, chance=0.1):
    """A control with an interval for its test."""
    return Control(
        n=100,
        value=value,
        chance=chance,
        ratio=value / chance,
        interval=(low, high),
        interval_90=(low, high),
        outcome=judge_chance(Interval(low, high), chance, 0.2 * chance),
    )


def test_only_a_control_beyond_the_margin_is_a_caution():
    shuffled = {
        "a": control(0.04, 0.03, 0.06),
        "within": control(0.085, 0.081, 0.095),
        "unclear": control(0.06, 0.03, 0.09),
        "c": control(0.2, 0.16, 0.25),
    }
    assert cautions(SimpleNamespace(controls={"shuffled": shuffled})) == (
        "Given another unit's summary, a model must score within 20 % of chance. These do not: "
        "a 60 % below chance, c 100 % above chance.",
    )
    assert cautions(SimpleNamespace(controls={})) == ()
