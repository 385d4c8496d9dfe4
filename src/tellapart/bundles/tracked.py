"""The figures of a scoreboard for experiment trackers."""

from __future__ import annotations

from collections.abc import Iterator

from tellapart.bundles.figures import FIGURES
from tellapart.bundles.results import Scoreboard
from tellapart.report.tracked import Figure, Tracked, tracked, with_ends


def tracked_scoreboard(board: Scoreboard) -> Tracked:
    """Give the figures over all bundles and, where there are any, those of each tier."""
    return tracked("bundles", _figures(board))


def _figures(board: Scoreboard) -> Iterator[Figure]:
    for scope, stats in board.tiers.items():
        if scope != "overall" and not stats.n:
            continue
        yield (scope, "n"), stats.n
        for name in FIGURES:
            yield from with_ends((scope, name), getattr(stats, name), stats.ci95.get(name))
