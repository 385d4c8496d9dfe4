"""Whether the loop goes on after an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tellapart.codesearch.config import Loop
from tellapart.codesearch.looping.history import in_words, words
from tellapart.codesearch.looping.regression import Regression

Reason = Literal["regression", "thresholds", "unchanged", "converged", "max_iterations"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Stop:
    """Why the loop stops.

    Attributes:
        reason: For programs.
        iteration: After which iteration.
        text: For people, one paragraph.
    """

    reason: Reason
    iteration: int
    text: str

    def record(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {"reason": self.reason, "iteration": self.iteration, "text": self.text}


def stop_after(
    iterations: Sequence[Mapping[str, Any]], fallen: Sequence[Regression], loop: Loop
) -> Stop | None:
    """Decide whether to stop.

    A regression stops at once. Thresholds, a system that does not change and convergence stop from
    ``min_iterations`` on, and ``max_iterations`` in any case.

    Args:
        iterations: What `trend` gives, the last one being that after which is decided; at least one.
        fallen: Regressions of the last one.
        loop: The limits.

    Returns:
        None to go on.
    """
    number = len(iterations)
    last = iterations[-1]["iteration"]
    if fallen:
        return Stop("regression", last, regression_text(last, fallen, loop.regression))
    if number >= loop.min_iterations:
        for check in (_thresholds, _unchanged, _converged):
            stop = check(iterations, loop)
            if stop:
                return stop
    if number >= loop.max_iterations:
        return Stop(
            "max_iterations", last, f"These were {number} iterations, as many as 'max_iterations' allows."
        )
    return None


def regression_text(iteration: int, fallen: Sequence[Regression], limit: float) -> str:
    """Tell regressions, with their numbers and what to do."""
    told = "; ".join(_told(one) for one in fallen)
    return (
        f"Iteration {iteration} is worse than an earlier one by more than {limit:g}: {told}. Roll back what "
        f"was changed before iteration {iteration}, and run the next iteration alone to see that it is as it "
        "was."
    )


def _told(one: Regression) -> str:
    told = in_words(one.decisive.record())
    said = f"in {one.area!r} {words(one.measure)} against iteration {one.against}: {told}"
    if one.decisive is not one.change:
        said += "; since the explorers changed, both were held against one ground truth"
    elif one.one_truth is not None:
        said += f"; on one ground truth for both {in_words(one.one_truth.record())}"
    if one.unreliable:
        numbers = " and ".join(map(str, one.unreliable))
        said += f"; too many verdicts failed in iteration {numbers} for this to be relied on"
    return said


def _thresholds(iterations: Sequence[Mapping[str, Any]], loop: Loop) -> Stop | None:
    last = iterations[-1]
    limits = (loop.precision_threshold, loop.recall_threshold)
    found = [figure["value"] for figure in last["measures"].values()]
    if any(value is None or value < limit - _ROUNDING for value, limit in zip(found, limits, strict=True)):
        return None
    shown = " and ".join(
        f"{words(name)} {value:.3f} (threshold {limit:g})"
        for name, value, limit in zip(last["measures"], found, limits, strict=True)
    )
    return Stop("thresholds", last["iteration"], f"The thresholds are reached: {shown}.")


def _unchanged(iterations: Sequence[Mapping[str, Any]], loop: Loop) -> Stop | None:
    since = iterations[-1]["since"]
    if loop.improve is not None or since is None or not since["same_files"]:
        return None
    return Stop(
        "unchanged",
        iterations[-1]["iteration"],
        f"Nothing changed, converged: the system returned just the files of iteration {since['iteration']}. "
        "Change it, or name a command that does as 'loop.improve'.",
    )


def _converged(iterations: Sequence[Mapping[str, Any]], loop: Loop) -> Stop | None:
    steps, most = loop.convergence.iterations, loop.convergence.change
    if len(iterations) <= steps:
        return None
    recent = [list(one["measures"].items()) for one in iterations[-steps - 1 :]]
    for before, after in zip(recent, recent[1:], strict=False):
        for (old_name, old), (new_name, new) in zip(before, after, strict=True):
            if old_name != new_name or old["value"] is None or new["value"] is None:
                return None
            if abs(new["value"] - old["value"]) > most + _ROUNDING:
                return None
    return Stop(
        "converged",
        iterations[-1]["iteration"],
        f"Converged: precision and recall changed by at most {most:g} in each of the last {steps} steps.",
    )
