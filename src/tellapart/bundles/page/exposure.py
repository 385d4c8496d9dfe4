"""Exposure of all pools of a training as a report."""

from __future__ import annotations

from math import ceil

from tellapart.bundles.exposure import CurriculumExposure, PoolExposure
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.tables import Cell, Table, table, undefined

_LIMITS = "healthy from 50 exposures, warning from 30, critical from 10, severe below"


def document(planned: CurriculumExposure, command: str) -> Document:
    """Show the verdict, each pool, what would restore 50 exposures, and the phases; made by ``command``."""
    curriculum = planned.curriculum
    steps = sum(phase.steps for phase in curriculum.phases)
    text = "Exposures of an item are the draws from its pool divided by the items of the pool."
    section = Section("pools", "Exposure of each pool", text, tables=tuple(tables(planned)))
    return Document(
        "bundles: exposure of all pools",
        headline(planned),
        tuple(verdict(planned)),
        {
            "Pools": show.count(len(planned.pools)),
            "Phases": show.count(len(curriculum.phases)),
            "Steps": show.count(steps),
        },
        (section,),
        {"Formula": "sum over phases of steps × batch size × tier probability × pool ratio, / pool size"},
        (command,),
    )


def headline(planned: CurriculumExposure) -> str:
    """Name the pool that is seen least, and how many are healthy."""
    if len(planned.pools) == 1:
        (pool,) = planned.pools
        return f"Each item of {pool.pool} will be seen {times(pool.exposure)} times on average: {pool.status}"
    healthy = sum(pool.status == "healthy" for pool in planned.pools)
    lead = f"Items of {healthy} of {show.plural(len(planned.pools), 'pool')} are seen 50 times or more"
    if healthy == len(planned.pools):
        return lead
    least = min(planned.pools, key=lambda pool: pool.exposure)
    return f"{lead}. {least.pool} is seen least, {times(least.exposure)} times on average: {least.status}"


def verdict(planned: CurriculumExposure) -> list[str]:
    """Say what to do about each pool that is not healthy."""
    return [
        f"{pool.pool}: {times(pool.exposure)} times, {pool.status}. {pool.action}."
        for pool in planned.pools
        if pool.status != "healthy"
    ]


def tables(planned: CurriculumExposure) -> list[Table]:
    """Each pool, what would restore 50 exposures, and the exposures by phase where there are several."""
    pools: list[list[Cell | str]] = [
        [
            pool.pool,
            pool.tier,
            pool.status,
            show.count(pool.size),
            show.count(round(pool.draws)),
            times(pool.exposure),
        ]
        for pool in planned.pools
    ]
    shown = [
        table(
            "pools",
            "Exposure of each pool",
            ["Pool", "Tier", "Level", "Items", "Draws", "Exposures"],
            pools,
            words=3,
            note=f"Exposures of an item on average: {_LIMITS}. These levels were set for a legacy pool; a "
            "large pool of easy items needs fewer.",
        ),
        table(
            "restoring",
            "What would bring each pool to 50, changing one thing",
            ["Pool", "Draws", "Ratio", "Steps in all", "Items"],
            [_restoring(pool) for pool in planned.pools],
        ),
    ]
    phases = planned.curriculum.phases
    if len(phases) > 1:
        by_phase: list[list[Cell | str]] = [
            [
                phase.name,
                show.count(phase.steps),
                show.count(phase.batch_size),
                *(times(pool.by_phase[i]) for pool in planned.pools),
            ]
            for i, phase in enumerate(phases)
        ]
        steps = show.count(sum(phase.steps for phase in phases))
        by_phase.append(["all", steps, show.DASH, *(times(pool.exposure) for pool in planned.pools)])
        headings = ["Phase", "Steps", "Batch", *(pool.pool for pool in planned.pools)]
        shown.append(table("phases", "Exposures by phase", headings, by_phase))
    return shown


def _restoring(pool: PoolExposure) -> list[Cell | str]:
    to = pool.to_restore
    why = pool.why_not
    return [
        pool.pool,
        undefined(why["draws_factor"]) if to.draws_factor is None else f"× {to.draws_factor:.3g}",
        undefined(why["ratio"]) if to.ratio is None else f"at least {least_ratio(to.ratio)}",
        undefined(why["steps"]) if to.steps is None else f"at least {show.count(to.steps)}",
        undefined(why["pool_size"]) if to.pool_size is None else f"at most {show.count(to.pool_size)}",
    ]


def times(exposure: float) -> str:
    """One decimal, but never a threshold that is not reached: 49.96 is not 50.0."""
    digits = next((d for d in (1, 2, 3, 4) if (round(exposure, d) >= 50) == (exposure >= 50)), 6)
    return f"{exposure:,.{digits}f}" if exposure >= 1 or not exposure else show.significant(exposure)


def least_ratio(value: float) -> str:
    """Rounded up, so that what is shown is enough."""
    return f"{ceil(round(value * 10**4, 6)) / 10**4:g}"
