"""The sources of evidence about writers, what each weighs, and how far the order depends on that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import fsum, inf

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

_LIKE = "Write it like retrieval=.45,contrastive=.3,judge=.25"
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Weights:
    """Weights as asked for, and over the evidence that there is; ``absent`` says what makes the rest."""

    asked: dict[str, float]
    effective: dict[str, float]
    absent: dict[str, str]


@dataclass(frozen=True)
class NearestChange:
    """The least change of the weights after which another writer is level with the first."""

    writer: str
    moved: float
    weights: dict[str, float]


def parse_weights(text: str) -> dict[str, float]:
    """Read ``SOURCE=NUMBER,…``; a source that is not named weighs nothing."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        wrong = f"--weights has the part {part!r}, expected SOURCE=NUMBER, each source once"
        if name in weights:
            raise UsageError(wrong, next_step=_LIKE)
        try:
            weights[name] = float(number)
        except ValueError:
            raise UsageError(wrong, next_step=_LIKE) from None
    return checked_weights(weights)


def write_weights(weights: Mapping[str, float]) -> str:
    """Write weights as `parse_weights` reads them."""
    return ",".join(f"{name}={weight:g}" for name, weight in weights.items())


def checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Scale weights to a sum of 1, by source in the order of ``SOURCES``."""
    for name, weight in weights.items():
        if name not in SOURCES:
            raise UsageError(f"there is no evidence {name!r} to weigh", next_step=near_match(name, SOURCES))
        if not 0 <= weight < inf:
            raise UsageError(f"the weight of {name!r} is {weight:g}, expected 0 or more", next_step=_LIKE)
    total = fsum(weights.values())
    if total == 0:
        raise UsageError("all weights are 0, expected one above 0", next_step=_LIKE)
    return {name: weights.get(name, 0.0) / total for name in SOURCES}


def weights_over(asked: Mapping[str, float], sources: Collection[str]) -> Weights:
    """Scale the weights of the sources of which there is evidence to a sum of 1."""
    effective = {name: weight for name, weight in asked.items() if name in sources and weight > 0}
    if not effective:
        wanted = [name for name, weight in asked.items() if weight > 0]
        raise UsageError(
            f"--weights counts only {' and '.join(wanted)}, of which there is no evidence",
            next_step=f"Give a weight to {' or '.join(sources)}, or make a run: {COMMANDS[wanted[0]]}",
        )
    total = fsum(effective.values())
    absent = {
        name: f"no run of this kind was given; make one with: {command}"
        for name, command in COMMANDS.items()
        if name not in sources
    }
    return Weights(dict(asked), {name: weight / total for name, weight in effective.items()}, absent)


def nearest_change(
    weights: Mapping[str, float], means: Mapping[str, Mapping[str, float]]
) -> NearestChange | None:
    """Find what ends the lead of the first writer, were its means by source exact; None if nothing does."""

    def combined(writer: str) -> float:
        return sum(weight * means[writer][name] for name, weight in weights.items())

    first, *others = sorted(means, key=lambda writer: (-combined(writer), writer)) or [""]
    changes = []
    for writer in others:
        leads = {name: means[first][name] - means[writer][name] for name in weights}
        if shift := least_shift(weights, leads):
            changes.append(NearestChange(writer, *shift))
    return min(changes, key=lambda change: (change.moved, change.writer), default=None)


def least_shift(
    weights: Mapping[str, float], leads: Mapping[str, float]
) -> tuple[float, dict[str, float]] | None:
    """Find the least weight that must move from some sources to others until a lead is gone."""
    shifted = dict(weights)
    lead = sum(shifted[name] * leads[name] for name in shifted)
    to = min(leads, key=lambda name: (leads[name], name))
    moved = 0.0
    for name in sorted(leads, key=lambda name: (-leads[name], name)):
        gain = leads[name] - leads[to]
        if lead <= _ROUNDING or gain <= 0:
            break
        step = min(shifted[name], lead / gain)
        shifted[name], shifted[to] = shifted[name] - step, shifted[to] + step
        lead, moved = lead - step * gain, moved + step
    return (moved, shifted) if lead <= _ROUNDING else None
