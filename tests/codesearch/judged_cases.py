"""Cases with verdicts of one's choice; a file is one letter."""

from dataclasses import replace

from codesearch.explored_cases import case
from tellapart.codesearch.model import Explored, Failed, JudgeVerdict


def judged(
    number, a, b, ours, yes="", no="", failed="", *, cause="judge", area="uncertain", names=("ax", "bx")
):
    """A conversation with verdicts on these letters; relevant files are actionable, the others are not."""
    gone = Failed(cause, "recorded", "Judge failed to evaluate")
    verdicts = {
        **{f"repo/{f}": JudgeVerdict(True, "yes") for f in yes},
        **{f"repo/{f}": JudgeVerdict(False, "no") for f in no},
        **{f"repo/{f}": JudgeVerdict(None, failure=gone) for f in failed},
    }
    return replace(case(number, a, b, ours, area=area, names=names), verdicts=verdicts)


def with_failure(made, run, cause):
    """The same with an exploration that failed for this cause."""
    return replace(made, **{run: Explored(getattr(made, run).explorer, (), Failed(cause, cause, "gone"))})
