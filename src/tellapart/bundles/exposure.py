"""Exposure: how often a training sees each item of its pools, and what would restore a healthy number."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, fsum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from tellapart.bundles.figures import rounded
from tellapart.bundles.tier_names import ADVERSARIAL, ALIASES, TIERS
from tellapart.core.record import Record
from tellapart.errors import InputError, near_match
from tellapart.files import check_record, parse_json, read_text
from tellapart.files.yaml_text import parse_yaml

HEALTHY = 50
"""Expected exposures that a pool is to be restored to."""

STATUSES = ((HEALTHY, "healthy"), (30, "warning"), (10, "critical"), (0, "severe"))
"""Expected exposures from which each status holds."""

ACTIONS = {
    "healthy": "No action needed",
    "warning": "Monitor frozen tier3 closely",
    "critical": "Consider increasing legacy ratio",
    "severe": "Regression highly likely",
}
"""What the source document recommends, by status."""

_MOST = 10**15
"""Items, steps and places in a batch; figures of far more would not fit a float."""

_FEWEST_DRAWS = 1e-9
_WHOLE = 9
"""Decimals to which a number must be whole to count as whole."""

Share = Annotated[float, Field(ge=0, le=1)]
OneOrMore = Annotated[int, Field(ge=1, le=_MOST)]


class PoolSpec(Record):
    """A pool of items, and the tier whose draws it gets a share of."""

    size: OneOrMore
    tier: str = ADVERSARIAL


_WHOLE_POOL = BeforeValidator(lambda pool: {"size": pool} if isinstance(pool, int) else pool)


class Phase(Record):
    """A part of a training with one way of drawing.

    A place in a batch goes to each tier with some chance, and a pool has its share of the draws of its tier.
    """

    name: str = ""
    steps: Annotated[int, Field(ge=0, le=_MOST)]
    batch_size: OneOrMore
    tier_probabilities: dict[str, Share]
    pool_ratios: dict[str, Share]

    def draws(self, name: str, pool: PoolSpec) -> float:
        """Draws from a pool."""
        share = self.tier_probabilities.get(pool.tier, 0.0) * self.pool_ratios.get(name, 0.0)
        return rounded(self.steps * self.batch_size * share)


class Curriculum(Record):
    """A training as its phases, in their order; a number stands for a pool of tier 3 of that size."""

    pools: Annotated[dict[str, Annotated[PoolSpec, _WHOLE_POOL]], Field(min_length=1)]
    phases: Annotated[tuple[Phase, ...], Field(min_length=1)]


class PoolRestoring(Record):
    """What would make the exposure of a pool just healthy, one thing alone.

    ``draws_factor`` is how many times as many draws it takes, ``ratio`` the least in the one phase that draws
    from the pool, ``steps`` the fewest of the whole training, and ``pool_size`` the largest.
    """

    draws_factor: float | None = None
    ratio: float | None = None
    steps: int | None = None
    pool_size: int | None = None


class PoolExposure(Record):
    """How often a training shows each item of a pool, in all and by phase, and what to do about it.

    ``why_not`` says why a part of ``to_restore`` is None, by its name.
    """

    pool: str
    tier: str
    size: int
    draws: float
    exposure: float
    by_phase: tuple[float, ...]
    status: str
    action: str
    to_restore: PoolRestoring
    why_not: dict[str, str]


class CurriculumExposure(Record):
    """What ``bundles exposure --json`` prints; of a legacy pool alone, only that pool."""

    curriculum: Curriculum
    pools: tuple[PoolExposure, ...]


def read_curriculum(path: Path) -> Curriculum:
    """Read a curriculum from JSON (``.json``) or YAML; see ``docs/bundles.md``."""
    text = read_text(path)
    value = parse_json(text, path) if path.suffix.lower() == ".json" else parse_yaml(text, path)[1]
    return _checked(check_record(value, Curriculum, path, "curriculum"), path)


def legacy_curriculum(
    steps: int, batch_size: int, tier3_probability: float, legacy_ratio: float, pool_size: int
) -> Curriculum:
    """Make a curriculum of one phase and one legacy pool."""
    phase = {
        "steps": steps,
        "batch_size": batch_size,
        "tier_probabilities": {ADVERSARIAL: tier3_probability},
        "pool_ratios": {"legacy": legacy_ratio},
    }
    value = {"pools": {"legacy": pool_size}, "phases": [phase]}
    return _checked(check_record(value, Curriculum, "options"), "options")


def _checked(curriculum: Curriculum, where: object) -> Curriculum:
    """Give tiers their full names, and see that shares are of one whole."""
    pools = {
        name: pool.model_copy(update={"tier": _tier(pool.tier, where)})
        for name, pool in curriculum.pools.items()
    }
    phases = []
    for number, phase in enumerate(curriculum.phases, start=1):
        place = f"{where}: phase {phase.name or number!r}"
        chances = {_tier(tier, place): chance for tier, chance in phase.tier_probabilities.items()}
        if len(chances) < len(phase.tier_probabilities):
            raise InputError("'tier_probabilities' names a tier twice", where=place)
        _check_whole(list(chances.values()), "'tier_probabilities'", place)
        for name in phase.pool_ratios:
            if name not in pools:
                what = f"'pool_ratios' names the pool {name!r}, which is not among 'pools'"
                raise InputError(what, where=place, next_step=near_match(name, pools))
        for tier in TIERS:
            shares = [ratio for name, ratio in phase.pool_ratios.items() if pools[name].tier == tier]
            _check_whole(shares, f"'pool_ratios' of {tier}", place)
            if any(shares) and tier not in chances:
                raise InputError(
                    f"pools of {tier} have ratios, and 'tier_probabilities' lacks that tier",
                    where=place,
                    next_step=f"Write its probability, or 0: {{{tier}: 0.1}}",
                )
        update = {"tier_probabilities": chances, "name": phase.name or str(number)}
        phases.append(phase.model_copy(update=update))
    return Curriculum(pools=pools, phases=tuple(phases))


def _tier(name: str, where: object) -> str:
    tier = ALIASES.get(name, name)
    if tier not in TIERS:
        raise InputError(f"there is no tier {name!r}", where=where, next_step=near_match(name, TIERS))
    return tier


def _check_whole(shares: Sequence[float], what: str, where: object) -> None:
    total = rounded(fsum(shares))
    if total > 1:
        raise InputError(f"{what} sum up to {total:g}, expected 1 or less", where=where)


def exposures(curriculum: Curriculum) -> CurriculumExposure:
    """Work out the exposure of each pool; a value at a threshold belongs to the better level.

    Source:
        "Crucible Metrics Reference", Exposure Probability & Dilution Detection, summed over phases and taken
        for each pool. ``to_restore`` is ours.
    """
    pools = tuple(_exposure(curriculum, name, pool) for name, pool in curriculum.pools.items())
    return CurriculumExposure(curriculum=curriculum, pools=pools)


def _exposure(curriculum: Curriculum, name: str, pool: PoolSpec) -> PoolExposure:
    draws = [phase.draws(name, pool) for phase in curriculum.phases]
    expected = rounded(fsum(draws) / pool.size)
    status = next(status for limit, status in STATUSES if expected >= limit)
    restoring, why_not = _to_restore(curriculum, name, pool, draws)
    action = ACTIONS[status]
    if status == "critical" and "above 1" in why_not.get("ratio", ""):
        size = f" or a pool of at most {restoring.pool_size:,}" if restoring.pool_size else ""
        action = f"No ratio is enough: it takes {restoring.steps:,} steps{size}"
    return PoolExposure(
        pool=name,
        tier=pool.tier,
        size=pool.size,
        draws=rounded(fsum(draws)),
        exposure=expected,
        by_phase=tuple(rounded(drawn / pool.size) for drawn in draws),
        status=status,
        action=action,
        to_restore=restoring,
        why_not=why_not,
    )


def _to_restore(
    curriculum: Curriculum, name: str, pool: PoolSpec, draws: Sequence[float]
) -> tuple[PoolRestoring, dict[str, str]]:
    total = fsum(draws)
    if total < _FEWEST_DRAWS:
        reason = "next to nothing is drawn from this pool" if total else "no phase draws from this pool"
        return PoolRestoring(), dict.fromkeys(PoolRestoring.model_fields, reason)
    why_not: dict[str, str] = {}
    factor, ratio = HEALTHY * pool.size / total, None
    drawing = [
        phase.pool_ratios[name] for phase, drawn in zip(curriculum.phases, draws, strict=True) if drawn
    ]
    if rounded(max(drawing) * factor) > 1:
        why_not["ratio"] = f"it would have to be {max(drawing) * factor:.4g}, above 1"
    elif len(drawing) > 1:
        why_not["ratio"] = f"{len(drawing)} phases have a ratio each: multiply all by {factor:.4g}"
    else:
        ratio = rounded(drawing[0] * factor)
    pool_size = floor(round(total / HEALTHY, _WHOLE))
    if pool_size < 1:
        why_not["pool_size"] = f"not even a pool of one item would be seen {HEALTHY} times"
    steps = ceil(round(factor * sum(phase.steps for phase in curriculum.phases), _WHOLE))
    restoring = PoolRestoring(
        draws_factor=rounded(factor), ratio=ratio, steps=steps, pool_size=pool_size or None
    )
    return restoring, why_not
