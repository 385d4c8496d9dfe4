"""A gate as a test of pytest: a candidate must not be worse than the baseline.

pytest loads this module at every start, where tellapart is installed; it imports no more until it is used.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from tellapart.api import CompareResult
    from tellapart.core.comparison import Gate

OnUnclear = Literal["skip", "fail", "pass"]


def assert_not_worse(
    baseline: Any,
    candidate: Any = None,
    *,
    max_drop: float,
    on_unclear: OnUnclear = "skip",
    baseline_model: str | None = None,
    candidate_model: str | None = None,
    record_property: Callable[[str, object], None] | None = None,
    **options: Any,
) -> CompareResult:
    """Fail where a candidate is worse than the baseline by more than is allowed, beyond noise.

    It is the gate of ``tellapart compare --max-drop``. As a fixture of the same name it also records
    properties for JUnit: ``verdict``, ``difference`` (candidate - baseline), its ``interval``, ``n`` (items).

    Args:
        baseline: Scores: whatever `tellapart.compare` takes, such as a path or a frame; or those of all
            models.
        candidate: Scores; of several candidates in it the worst decides. None where ``baseline`` holds all
            models; then ``baseline_model`` is needed.
        max_drop: The largest drop of the mean score that is allowed, in score units; 0.02 is 2 points of a
            rate.
        on_unclear: Whether a gate that cannot tell skips the test, fails it, or lets it pass.
        baseline_model: The baseline's name, if its scores hold several models.
        candidate_model: The candidate's name, if not every model of its scores is one.
        record_property: The fixture of pytest, for the properties; none are recorded where None.
        options: What else `tellapart.compare` takes, such as ``by``, ``primary``, ``score`` and ``models``.

    Returns:
        The comparison, if the test goes on.

    Raises:
        AssertionError: The gate failed. The message is the first line of ``tellapart compare``, and the
            command that shows the items, where paths are all that it takes.
        UsageError: An argument does not fit.
        InputError: Scores cannot be read or compared.
    """
    __tracebackhide__ = True
    from tellapart.api import compare
    from tellapart.core.gate_outcome import GateOutcome
    from tellapart.errors import UsageError, near_match

    if on_unclear not in ("skip", "fail", "pass"):
        choices = ["skip", "fail", "pass"]
        raise UsageError(f"on_unclear is {on_unclear!r}", next_step=near_match(str(on_unclear), choices))
    sides = [baseline] if candidate is None else [baseline, candidate]
    candidates = [] if candidate_model is None else [candidate_model]
    result = compare(*sides, max_drop=max_drop, baseline=baseline_model, candidates=candidates, **options)
    if record_property is not None:
        for name, value in _properties(result.record.gate).items():
            record_property(name, value)
    message = result.verdict
    if not options and all(isinstance(side, str | PathLike) for side in sides):
        named = [] if baseline_model is None else ["--baseline", baseline_model]
        named += [word for name in candidates for word in ("--candidate", name)]
        words = ["tellapart", "compare", *map(str, sides), *named, "--max-drop", f"{max_drop:g}"]
        message += f"\nThe items that flipped: {shlex.join(words)}"
    unclear = on_unclear if result.outcome is GateOutcome.UNCLEAR else None
    if result.outcome is GateOutcome.FAILED or unclear == "fail":
        raise AssertionError(message)
    if unclear == "skip":
        pytest.skip(message)
    return result


@pytest.fixture(name="assert_not_worse")
def _assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., CompareResult]:
    """Fail where a candidate is worse: assert_not_worse(baseline, candidate, max_drop=0.02)."""

    # As the fixture record_property does, which warns of strict schemas of JUnit beside that.
    def record_property(name: str, value: object) -> None:
        request.node.user_properties.append((name, value))

    return partial(assert_not_worse, record_property=record_property)


def _properties(gate: Gate) -> dict[str, object]:
    """The figures for JUnit: of the candidate less the baseline, where a gate has the drop."""
    interval = None if gate.interval is None else [0.0 - gate.interval.high, 0.0 - gate.interval.low]
    return {
        "verdict": str(gate.outcome),
        "difference": None if gate.drop is None else 0.0 - gate.drop,
        "interval": json.dumps(interval),
        "n": gate.n,
    }
