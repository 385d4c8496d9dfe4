"""A gate as a test of pytest: a candidate must not be worse than the baseline.

pytest loads this module at every start, where tellapart is installed; it imports no more until it is used.
"""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tellapart.api import CompareResult

ON_UNCLEAR = ("skip", "fail", "warn", "pass")
"""What a gate that cannot tell may count as; the first is the default."""

_OPTION, _INI = "--tellapart-on-unclear", "tellapart_on_unclear"


class UnclearGateWarning(UserWarning):
    """A gate cannot tell whether the candidate is worse."""


def assert_not_worse(
    baseline: Any,
    candidate: Any = None,
    *,
    max_drop: float,
    on_unclear: str = ON_UNCLEAR[0],
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
        on_unclear: What a gate that cannot tell counts as: ``skip`` skips the test, ``fail`` fails it,
            ``warn`` lets it pass with an `UnclearGateWarning`, and ``pass`` lets it pass.
        baseline_model: The baseline's name, if its scores hold several models; ``baseline`` of
            `tellapart.compare`.
        candidate_model: The candidate's name, if not every model of its scores is one; of ``candidates`` of
            `tellapart.compare` the one.
        record_property: The fixture of pytest, for the properties; none are recorded where None.
        options: What else `tellapart.compare` takes, such as ``by``, ``primary``, ``score`` and ``models``.

    Returns:
        The comparison, if the test goes on.

    Raises:
        AssertionError: The gate failed. The message is the first line of ``tellapart compare``, and what to
            do.
        UsageError: An argument does not fit.
        InputError: Scores cannot be read or compared.
    """
    __tracebackhide__ = True
    from tellapart.api import compare
    from tellapart.core.gate_outcome import GateOutcome
    from tellapart.errors import UsageError, near_match

    if on_unclear not in ON_UNCLEAR:
        raise UsageError(f"on_unclear is {on_unclear!r}", next_step=near_match(str(on_unclear), ON_UNCLEAR))
    result = compare(
        baseline,
        *(() if candidate is None else (candidate,)),
        max_drop=max_drop,
        baseline=baseline_model,
        candidates=() if candidate_model is None else [candidate_model],
        **options,
    )
    if record_property is not None:
        for name, value in _properties(result).items():
            record_property(name, value)
    names = {"--baseline": baseline_model, "--candidate": candidate_model}
    sides = [baseline] if candidate is None else [baseline, candidate]
    message = f"{result.verdict}\n{_next_step(sides, max_drop, names, has_options=bool(options))}"
    outcome = result.outcome
    if outcome is GateOutcome.FAILED or (outcome is GateOutcome.UNCLEAR and on_unclear == "fail"):
        raise AssertionError(message)
    if outcome is GateOutcome.UNCLEAR and on_unclear == "skip":
        pytest.skip(message)
    if outcome is GateOutcome.UNCLEAR and on_unclear == "warn":
        warnings.warn(UnclearGateWarning(message), stacklevel=2)
    return result


@pytest.fixture(name="assert_not_worse")
def _assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., CompareResult]:
    """Fail where a candidate is worse: assert_not_worse(baseline, candidate, max_drop=0.02)."""

    # As the fixture record_property does, which warns of strict schemas of JUnit beside that.
    def record_property(name: str, value: object) -> None:
        request.node.user_properties.append((name, value))

    chosen = request.config.getoption(_OPTION) or request.config.getini(_INI) or ON_UNCLEAR[0]
    return partial(assert_not_worse, on_unclear=chosen, record_property=record_property)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for gates that cannot tell."""
    help_text = "What a gate of assert_not_worse that cannot tell counts as"
    parser.getgroup("tellapart").addoption(
        _OPTION, choices=ON_UNCLEAR, default=None, help=f"{help_text}; default: {ON_UNCLEAR[0]}."
    )
    parser.addini(_INI, f"{help_text}: {', '.join(ON_UNCLEAR)}", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a setting for gates that cannot tell that is none, before any test runs."""
    chosen = config.getini(_INI)
    if chosen and chosen not in ON_UNCLEAR:
        raise pytest.UsageError(f"{_INI} is {chosen!r}, expected one of {', '.join(ON_UNCLEAR)}")


def _properties(result: CompareResult) -> dict[str, object]:
    gate = result.record.gate
    low, high = gate.interval or (None, None)
    return {
        "verdict": str(gate.outcome),
        "difference": _negated(gate.drop),
        "interval": json.dumps([_negated(high), _negated(low)]),
        "n": gate.n,
    }


def _negated(drop: float | None) -> float | None:
    return None if drop is None else 0.0 - drop


def _next_step(
    sides: Sequence[Any], max_drop: float, names: Mapping[str, str | None], *, has_options: bool
) -> str:
    """Say how to see the items that flipped: by the command, if there are but paths, models and the limit."""
    if not has_options and all(isinstance(side, str | PathLike) for side in sides):
        models = [word for option, name in names.items() if name is not None for word in (option, name)]
        words = ["tellapart", "compare", *map(str, sides), *models, "--max-drop", f"{max_drop:g}"]
        return f"The items that flipped: {shlex.join(words)}"
    return "The items that flipped: call tellapart.compare with the same arguments, and print its result"
