"""The sources of evidence about writers, and what each weighs in the combined score."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import fsum

from tellapart.errors import UsageError, near_match

RETRIEVAL, CONTRASTIVE, JUDGE = "retrieval", "contrastive", "judge"

SOURCES = (RETRIEVAL, CONTRASTIVE, JUDGE)
"""The sources of evidence, the one that weighs most in a ranking first."""

COMMANDS = {
    CONTRASTIVE: "tellapart contrastive run BENCH --model NAME --out RUN",
    RETRIEVAL: "tellapart writers retrieve BENCH --model NAME --out RUN",
    JUDGE: "tellapart writers judge BENCH --judge PROVIDER/MODEL --out RUN",
}
"""Which command makes a run of each source."""

WEIGHTS: dict[str, float] = {RETRIEVAL: 0.45, CONTRASTIVE: 0.3, JUDGE: 0.25}
"""The defaults."""

_MOST = 1e6
_LIKE = "Write it like retrieval=.45,contrastive=.3,judge=.25"


def parse_weights(text: str) -> dict[str, float]:
    """Read ``SOURCE=NUMBER,…``; a source that is not named weighs nothing."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not (name and equals):
            raise UsageError(f"--weights has the part {part!r}, expected SOURCE=NUMBER", next_step=_LIKE)
        if name in weights:
            raise UsageError(f"--weights has {name!r} twice", next_step=_LIKE)
        try:
            weights[name] = float(number)
        except ValueError:
            raise UsageError(
                f"--weights has {number!r} for {name!r}, expected a number", next_step=_LIKE
            ) from None
    return checked_weights(weights)


def write_weights(weights: Mapping[str, float]) -> str:
    """Write weights as `parse_weights` reads them."""
    return ",".join(f"{name}={weight:g}" for name, weight in weights.items())


def checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Give weights that sum to 1, by source in the order of ``SOURCES``."""
    for name, weight in weights.items():
        if name not in SOURCES:
            raise UsageError(f"there is no evidence {name!r} to weigh", next_step=near_match(name, SOURCES))
        if not 0 <= weight <= _MOST:
            raise UsageError(
                f"the weight of {name!r} is {weight:g}, expected 0 to {_MOST:g}",
                next_step=_LIKE,
            )
    total = fsum(weights.values())
    if not total > 0:
        raise UsageError("all weights are 0, expected one above 0", next_step=_LIKE)
    return {name: weights.get(name, 0.0) / total for name in SOURCES}


def weights_over(weights: Mapping[str, float], sources: Collection[str]) -> dict[str, float]:
    """Scale the weights of the sources of which there is evidence to a sum of 1."""
    effective = {name: weight for name, weight in weights.items() if name in sources and weight > 0}
    total = fsum(effective.values())
    if not total > 0:
        wanted = [name for name, weight in weights.items() if weight > 0]
        raise UsageError(
            f"--weights counts only {' and '.join(wanted)}, of which there is no evidence",
            next_step=f"Give a weight to {' or '.join(sources)}, or make a run: {COMMANDS[wanted[0]]}",
        )
    return {name: weight / total for name, weight in effective.items()}
