"""The sources of evidence about writers, and what each weighs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import fsum

from tellapart.errors import UsageError, near_match

RETRIEVAL, CONTRASTIVE, JUDGE = "retrieval", "contrastive", "judge"

COMMANDS = {
    RETRIEVAL: "tellapart writers retrieve BENCH --model NAME --out RUN",
    CONTRASTIVE: "tellapart contrastive run BENCH --model NAME --out RUN",
    JUDGE: "tellapart writers judge BENCH --judge PROVIDER/MODEL --out RUN",
}
"""Which command makes a run of each source of evidence, the one that weighs most first."""

SOURCES = tuple(COMMANDS)

WEIGHTS: dict[str, float] = {RETRIEVAL: 0.45, CONTRASTIVE: 0.3, JUDGE: 0.25}
"""The defaults."""

_MOST = 1e6
_LIKE = "Write it like retrieval=.45,contrastive=.3,judge=.25"


@dataclass(frozen=True)
class Weights:
    """Weights as asked for and over the evidence that there is; both sum to 1.

    Attributes:
        absent: Why other evidence is not there, and which command makes it.
    """

    asked: dict[str, float]
    effective: dict[str, float]
    absent: dict[str, str]


def parse_weights(text: str) -> dict[str, float]:
    """Read ``SOURCE=NUMBER,…``; a source that is not named weighs nothing."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            repeated, weights[name] = name in weights, float(number)
        except ValueError:
            repeated = True
        if repeated:
            raise UsageError(
                f"--weights has the part {part!r}, expected SOURCE=NUMBER, each source once", next_step=_LIKE
            )
    return checked_weights(weights)


def write_weights(weights: Mapping[str, float]) -> str:
    """Write weights as `parse_weights` reads them."""
    return ",".join(f"{name}={weight:g}" for name, weight in weights.items())


def checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Scale weights to a sum of 1, by source in the order of ``SOURCES``."""
    for name, weight in weights.items():
        if name not in SOURCES:
            raise UsageError(f"there is no evidence {name!r} to weigh", next_step=near_match(name, SOURCES))
        if not 0 <= weight <= _MOST:
            raise UsageError(
                f"the weight of {name!r} is {weight:g}, expected 0 to {_MOST:g}", next_step=_LIKE
            )
    total = fsum(weights.values())
    if not total > 0:
        raise UsageError("all weights are 0, expected one above 0", next_step=_LIKE)
    return {name: weights.get(name, 0.0) / total for name in SOURCES}


def weights_over(asked: Mapping[str, float], sources: Collection[str]) -> Weights:
    """Scale the weights of the sources of which there is evidence to a sum of 1."""
    effective = {name: weight for name, weight in asked.items() if name in sources and weight > 0}
    total = fsum(effective.values())
    if not total > 0:
        wanted = [name for name, weight in asked.items() if weight > 0]
        raise UsageError(
            f"--weights counts only {' and '.join(wanted)}, of which there is no evidence",
            next_step=f"Give a weight to {' or '.join(sources)}, or make a run: {COMMANDS[wanted[0]]}",
        )
    return Weights(
        dict(asked),
        {name: weight / total for name, weight in effective.items()},
        {
            name: f"no run of this kind was given; make one with: {command}"
            for name, command in COMMANDS.items()
            if name not in sources
        },
    )
