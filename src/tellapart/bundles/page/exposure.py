"""Exposure of all pools of a training as a report."""

from __future__ import annotations

from math import ceil

from tellapart.bundles.exposure import CurriculumExposure, PoolExposure
from tellapart.report import numbers as show
from tellapart.report.document import Document, Section
from tellapart.report.figures import FIGURES, cell, exposures, headings
from tellapart.report.tables import Cell, Table, table, undefined


def document(planned: CurriculumExposure, command: str) -> Document:
    """Show the verdict, each pool, and what would restore 50 exposures; made by ``command``."""
    phases = planned.curriculum.phases
    text = "Exposures of an item are the draws from its pool divided by the items of the pool."
    return Document(
        "bundles: exposure of all pools",
        headline(planned),
        tuple(
            f"{pool.pool}: {exposures(pool.exposure)} times, {pool.status}. {pool.action}."
            for pool in planned.pools
            if pool.status != "healthy"
        ),
        {
            "Pools": show.count(len(planned.pools)),
            "Phases": show.count(len(phases)),
            "Steps": show.count(sum(phase.steps for phase in phases)),
        },
        (Section("pools", "Exposure of each pool", text, tables=tuple(tables(planned)), in_terminal=True),),
        {"Formula": "sum over phases of steps × batch size × tier probability × pool ratio, / pool size"},
        (command,),
    )


def headline(planned: CurriculumExposure) -> str:
    """Name the pool that is seen least, and how many are healthy."""
    least = min(planned.pools, key=lambda pool: pool.exposure)
    seen = f"{exposures(least.exposure)} times on average: {least.status}"
    if len(planned.pools) == 1:
        return f"Each item of {least.pool} will be seen {seen}"
    healthy = sum(pool.status == "healthy" for pool in planned.pools)
    lead = f"Items of {healthy} of {show.plural(len(planned.pools), 'pool')} are seen 50 times or more"
    return f"{lead}. {least.pool} is seen least, {seen}"


def tables(planned: CurriculumExposure) -> list[Table]:
    """Each pool, and what would restore 50 exposures."""
    pools: list[list[Cell | str]] = [
        [
            pool.pool,
            pool.tier,
            pool.status,
            cell("items", pool.size),
            cell("draws", pool.draws),
            cell("exposure", pool.exposure),
        ]
        for pool in planned.pools
    ]
    return [
        table(
            "pools",
            "Exposure of each pool",
            ["Pool", "Tier", "Level", *headings(["items", "draws", "exposure"])],
            pools,
            words=3,
            note="Exposures of an item on average: healthy from 50, warning from 30, critical from 10, "
            "severe below. These levels were set for a legacy pool; a large pool of easy items needs fewer.",
        ),
        table(
            "restoring",
            "What would bring each pool to 50, changing one thing",
            ["Pool", FIGURES["draws"].label, "Ratio", "Steps in all", FIGURES["items"].label],
            [_restoring(pool) for pool in planned.pools],
        ),
    ]


def _restoring(pool: PoolExposure) -> list[Cell | str]:
    to, why = pool.to_restore, pool.why_not
    return [
        pool.pool,
        undefined(why["draws_factor"]) if to.draws_factor is None else f"× {to.draws_factor:.3g}",
        undefined(why["ratio"]) if to.ratio is None else f"at least {_rounded_up(to.ratio)}",
        undefined(why["steps"]) if to.steps is None else f"at least {show.count(to.steps)}",
        undefined(why["pool_size"]) if to.pool_size is None else f"at most {show.count(to.pool_size)}",
    ]


def _rounded_up(ratio: float) -> str:
    """Rounded up, so that what is shown is enough."""
    return f"{ceil(round(ratio * 10**4, 6)) / 10**4:g}"
