"""Comparisons held against worlds whose truth is known: how often they are wrong, and how good advice is.

- No difference: of tables in which all models are equal, at most 5 % may have a pair that is said to differ.
- Through figures: the same of what a command shows, from tables in clusters with levels of difficulty: of its
  primary claims, and of what its first three lines say.
- Just not equivalent: of tables in which the difference is the smallest that matters, at most 5 % may have
  a p of equivalence that claims it.
- Planted difference: of tables of as many items as were advised, at least 80 % must separate their pair.
- Advice: the number of items advised is within 15 % of the number that reaches 80 %, found by bisection.

Advice is taken from one table of many items, so that it is the rule that is checked and not the luck of a
pilot. Shares are compared by exact binomial tests: a check fails where luck would explain its share less than
once in 1,000 times, and one of figures where it is two standard errors above 5 %. The share up to which a
check is met stands beside its limit. All draws are seeded. The exit code is 1 where a check fails.

Usage: python benchmarks/selfcheck.py [TABLES [no-difference|figures|equivalence|advice]...]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from rich.console import Console, Group
from scipy.stats import binom

from tellapart.audit.analysis import analyse
from tellapart.audit.options import AuditOptions
from tellapart.audit.page.sections import document
from tellapart.core.comparison import ComparisonSettings, PairComparison, Verdict, compare
from tellapart.core.comparison.compare import primary_family
from tellapart.core.randomness import generator
from tellapart.core.score_grid import ScoreGrid
from tellapart.core.scores import ScoreTable
from tellapart.report import comparison as report
from tellapart.report.terminal import terminal
from worlds import (
    Draw,
    as_table,
    clustered,
    graded,
    hardly_different,
    interacting,
    replicated,
    right_or_wrong,
)

TABLES = 1_000
PILOT_ITEMS = 2_000_000
ALPHA, POWER, WITHIN = 0.05, 0.8, 0.15
LUCK = 0.001


@dataclass(frozen=True)
class Check:
    """A line of the table.

    Attributes:
        about: What was checked.
        found: What came out.
        wanted: What had to.
        is_met: Whether it did.
    """

    about: str
    found: str
    wanted: str
    is_met: bool


EQUAL: dict[str, tuple[int, Draw]] = {
    "0/1, 2 models, 60 items": (60, right_or_wrong),
    "0/1, 2 models, 400 items": (400, right_or_wrong),
    "0/1, 6 models, 200 items": (200, partial(right_or_wrong, models=6)),
    "graded, 2 models, 12 items": (12, graded),
    "graded, 2 models, 100 items": (100, graded),
    "graded, 6 models, 300 items": (300, partial(graded, models=6)),
    "0/1 in even clusters of 8, 320 items": (320, clustered),
    "0/1 in uneven clusters, 160 items": (160, partial(clustered, uneven=True)),
    "3 replicates, 150 items": (150, replicated),
    "0/1, 3 models, 2 % missing, 300 items": (300, partial(right_or_wrong, models=3, lost=0.02)),
}
"""Worlds without a difference."""

UNEQUAL: dict[str, tuple[float, Draw]] = {
    "0/1": (0.08, right_or_wrong),
    "graded": (0.012, graded),
    "graded, few items": (0.02, graded),
    "0/1 in clusters of 8": (0.05, clustered),
    "3 replicates": (0.06, replicated),
}
"""Worlds with a planted difference."""

BARELY: dict[str, tuple[int, float, Draw]] = {
    "0/1": (1_600, 0.05, right_or_wrong),
    "graded": (220, 0.02, graded),
    "0/1 in clusters of 8": (2_480, 0.05, clustered),
    "3 replicates": (580, 0.05, replicated),
    "3 replicates, 4 % differ": (600, 0.02, partial(hardly_different, answers=3, differ=0.04)),
    "0/1 in clusters of 8, 6 % differ": (1_280, 0.05, partial(hardly_different, size=8)),
}
"""Worlds whose difference is the smallest that matters; fewer items could not show equivalence at all."""

SHOWN: dict[str, tuple[int, Draw]] = {
    "0/1, 2 models, 12 clusters of 8": (96, interacting),
    "0/1, 6 models, 12 clusters of 8": (96, partial(interacting, models=6)),
    "graded, 4 models, 20 clusters of 4": (80, partial(interacting, models=4, size=4, graded=True)),
}
"""Worlds without a difference, in clusters that suit one model better and another worse, to show."""


@dataclass(frozen=True)
class Shown:
    """What a command shows of a table of models that are equal.

    Attributes:
        claims: Whether a pair of its primary family is said to differ.
        first_lines: The first three lines of its output.
    """

    claims: bool
    first_lines: str

    @property
    def says_better(self) -> bool:
        """Whether the first lines say that a model is better."""
        return (
            re.search(r"\bit\s+beats|separates\s+(all|\d)|\b(is|are)\s+(better|worse)", self.first_lines)
            is not None
        )


def compared(table: ScoreTable, seed: int) -> Shown:
    """Compare, and show the block that every page begins with."""
    found = compare(table, ComparisonSettings(seed=seed))
    lines = [report.headline(found), *(report.sentence(caution) for caution in found.cautions)]
    return Shown(bool(found.primary.separated), "\n".join(lines[:3]))


def audited(table: ScoreTable, seed: int) -> Shown:
    """Audit a table."""
    findings = analyse(table, AuditOptions(seed=seed))
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(Group(*terminal(document(findings, browser=False))))
    claims = any(pair.is_separated for pair in findings.pairs)
    return Shown(claims, "\n".join(capture.get().splitlines()[:3]))


COMMANDS: dict[str, Callable[[ScoreTable, int], Shown]] = {"compare": compared, "audit": audited}
"""What shows verdicts on a table of scores."""


def judge(table: ScoreGrid, settings: ComparisonSettings) -> list[PairComparison]:
    """Compare every two models on all items."""
    return list(primary_family(table, settings).pairs)


def judged(
    draw: Draw, items: int, gap: float, tables: int, name: str, sesoi: float = 0.02
) -> Iterator[list[PairComparison]]:
    """Judge tables, each drawn from a seed of its own."""
    for table in range(tables):
        settings = ComparisonSettings(sesoi=sesoi, alpha=ALPHA, power=POWER, seed=table)
        yield judge(draw(generator(table, name), items, gap), settings)


def separated(draw: Draw, items: int, gap: float, tables: int, name: str) -> int:
    """Count the tables that have a pair of which one is said to be better."""
    return sum(any(p.is_separated for p in pairs) for pairs in judged(draw, items, gap, tables, name))


def at_most(wrong: int, tables: int, about: str) -> Check:
    """Check that mistakes are no more frequent than ``ALPHA``, but for luck."""
    most = int(binom.isf(LUCK, tables, ALPHA))
    return _limited(wrong, tables, about, most)


def within_two_errors(wrong: int, tables: int, about: str) -> Check:
    """Check that mistakes are no more frequent than ``ALPHA`` and two standard errors."""
    most = int(tables * (ALPHA + 2 * (ALPHA * (1 - ALPHA) / tables) ** 0.5))
    return _limited(wrong, tables, about, most)


def _limited(wrong: int, tables: int, about: str, most: int) -> Check:
    wanted = f"at most {ALPHA:.0%}, by luck {most / tables:.1%}"
    return Check(about, f"{wrong / tables:.1%}", wanted, wrong <= most)


def no_difference(tables: int) -> Iterator[Check]:
    """Check that models that are equal are not said to differ, missing scores or not."""
    for name, (items, draw) in EQUAL.items():
        yield at_most(separated(draw, items, 0.0, tables, name), tables, f"no difference: {name}")
    name, (items, draw) = next(reversed(EQUAL.items()))
    pairs = judged(draw, items, 0.0, tables, name)
    wrong = sum(any(p.p_adjusted is not None and p.p_adjusted <= ALPHA for p in found) for found in pairs)
    yield at_most(wrong, tables, "the same, before bounds withhold a verdict")


def through_figures(tables: int) -> Iterator[Check]:
    """Check that no command shows that models differ which are equal."""
    shows: dict[str, Callable[[int], Shown]] = {}
    for name, (items, draw) in SHOWN.items():
        for command, show in COMMANDS.items():
            shows[f"{command}: {name}"] = partial(_of_table, show, draw, items, name)
    for name, show in shows.items():
        seen = [show(seed) for seed in range(tables)]
        yield within_two_errors(sum(one.claims for one in seen), tables, f"primary claims, {name}")
        yield within_two_errors(sum(one.says_better for one in seen), tables, f"first lines, {name}")


def _of_table(
    show: Callable[[ScoreTable, int], Shown], draw: Draw, items: int, name: str, seed: int
) -> Shown:
    return show(as_table(draw(generator(seed, name), items, 0.0)), seed)


def just_not_equivalent(tables: int) -> Iterator[Check]:
    """Check that a difference of just the smallest that matters is not called equivalence.

    By the p, for a pair that is separated as well is not called equivalent whatever it is.
    """
    for name, (items, gap, draw) in BARELY.items():
        found = judged(draw, items, gap, tables, f"barely {name}", sesoi=gap)
        wrong = sum((pairs[0].p_equivalent or 0.0) <= ALPHA for pairs in found)
        yield at_most(wrong, tables, f"just not equivalent: {name}, {items} items")
        shown = sum(
            pairs[0].verdict is Verdict.EQUIVALENT
            for pairs in judged(draw, items, 0.0, tables, name, sesoi=gap)
        )
        yield Check(
            f"equal, and said so: {name}, {items} items",
            f"{shown / tables:.1%}",
            "over 50 %",
            2 * shown > tables,
        )


def advice(tables: int) -> Iterator[Check]:
    """Check that the number of items advised reaches the power, and that no much smaller number does."""
    for name, (gap, draw) in UNEQUAL.items():
        pilot = next(judged(draw, PILOT_ITEMS, gap, 1, f"pilot {name}"))[0]
        advised = pilot.items_needed.value or 0
        found = separated(draw, advised, gap, tables, f"advised {name}")
        least = int(binom.ppf(LUCK, tables, POWER))
        yield Check(
            f"power of the {advised} items advised: {name}",
            f"{found / tables:.1%}",
            f"at least {POWER:.0%}, by luck {least / tables:.1%}",
            found >= least,
        )
        true = enough(draw, gap, tables, name, advised)
        away = advised / true - 1
        yield Check(
            f"items advised: {name}, truly {true}",
            f"{away:+.1%}",
            f"within {WITHIN:.0%}",
            abs(away) <= WITHIN,
        )


def enough(draw: Draw, gap: float, tables: int, name: str, start: int) -> int:
    """Find the number of items that reaches ``POWER`` by bisection between half and twice a first guess."""
    low, high = start // 2, 2 * start
    while high - low > 0.03 * start:
        middle = (low + high) // 2
        if separated(draw, middle, gap, tables, f"bisected {name}") < POWER * tables:
            low = middle
        else:
            high = middle
    return high


CHECKS: dict[str, Callable[[int], Iterator[Check]]] = {
    "no-difference": no_difference,
    "figures": through_figures,
    "equivalence": just_not_equivalent,
    "advice": advice,
}


def main(tables: int = TABLES, *names: str) -> int:
    """Print the table and give the exit code."""
    failed = 0
    print(f"{tables} tables a check\n")
    for name in names or CHECKS:
        for check in CHECKS[name](tables):
            failed += not check.is_met
            mark = "  " if check.is_met else "x "
            print(f"{mark}{check.about:<62} {check.found:>7}  {check.wanted}", flush=True)
    print(f"\n{failed} failed" if failed else "\nall met")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:]))
