"""Tables in each of which one thing is wrong, and the same tables once it is mended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from support.simulation import World
from tellapart.audit.causes import explain
from tellapart.audit.evidence import Evidence
from tellapart.audit.fixes import recommend
from tellapart.audit.items import examine
from tellapart.audit.options import AuditOptions
from tellapart.audit.results import Action, Cause, Fix, Pair
from tellapart.core.comparison import Verdict
from tellapart.core.comparison.compare import primary_family
from tellapart.core.score_grid import ScoreGrid, score_grid
from tellapart.core.scores import ScoreTable


def collect_evidence(grid: ScoreGrid, options: AuditOptions) -> Evidence:
    """Compare every pair and look at the items."""
    pairs = primary_family(grid, options).pairs
    return Evidence(grid, options, pairs, examine(grid))


@dataclass(frozen=True)
class Planted:
    """A world in which two models are not separated for one known reason.

    Attributes:
        cause: The reason.
        world: Where the models and the items come from.
        items: How many are drawn.
        replicates: Answers an item and model.
        gradings: Gradings an answer.
        pair: The two models, in ascending order; there may be others.
    """

    cause: Cause
    world: World
    items: int
    replicates: int = 1
    gradings: int = 1
    pair: tuple[str, str] = ("a", "b")

    def is_true(self, verdict: Verdict, least: float) -> bool:
        """Whether a verdict on the pair holds of endlessly many items, answers and gradings."""
        gap = self.world.expected(self.pair[0]) - self.world.expected(self.pair[1])
        if verdict is Verdict.EQUIVALENT:
            return abs(gap) < least
        return verdict is Verdict.A_BETTER and gap > 0 or verdict is Verdict.B_BETTER and gap < 0

    def table(self) -> ScoreTable:
        """Draw the table."""
        return self.world.table(self.items, replicates=self.replicates, gradings=self.gradings)

    def audited(self, options: AuditOptions, table: ScoreTable | None = None) -> Pair:
        """Audit a table, the planted one where None, and give the pair with its causes and fixes."""
        evidence = collect_evidence(score_grid(table or self.table()), options)
        pair = next(pair for pair in evidence.pairs if (pair.a, pair.b) == self.pair)
        why = explain(pair, evidence)
        return Pair.explained(pair, why, recommend(pair, why, evidence))

    def mended(self, fix: Fix) -> ScoreTable:
        """Carry a fix out: draw what it asks for from the same world.

        What was drawn stays. To choose otherwise asks for nothing; then as many items are drawn once more.
        """
        items, replicates, gradings = self.items, self.replicates, self.gradings
        if fix.action is Action.CHOOSE_OTHERWISE:
            return replace(self, world=replace(self.world, seed=self.world.seed + 1_000_003)).table()
        return self.world.table(
            items + fix.cost_items,
            replicates=replicates + (fix.cost_replicates if fix.action is Action.ADD_REPLICATES else 0),
            gradings=gradings + (fix.cost_replicates if fix.action is Action.REPEAT_GRADING else 0),
            asked_again=fix.action is Action.RERUN_MISSING,
            without=fix.items,
        )


@dataclass(frozen=True)
class Trial:
    """What an audit made of a planted table.

    Attributes:
        causes: That it named.
        fixes: That it recommended, the first one first.
        worked: Whether that, carried out, led to a true verdict; None where it cannot be carried out.
    """

    causes: tuple[Cause, ...]
    fixes: tuple[Fix, ...]
    worked: bool | None


UNKNOWN = (Action.HARDER_ITEMS, Action.EASIER_ITEMS)
"""Fixes of which nobody knows how many items they take."""


def try_out(planted: Planted) -> Trial | None:
    """Audit a planted table and carry out the first fix; None where the pair is separated."""
    options = AuditOptions()
    pair = planted.audited(options)
    if pair.is_separated:
        return None
    causes = tuple(why.cause for why in pair.why)
    if not pair.fix or pair.fix[0].action in UNKNOWN:
        return Trial(causes, pair.fix, None)
    after = planted.audited(options, planted.mended(pair.fix[0]))
    return Trial(causes, pair.fix, planted.is_true(after.verdict, options.least))


def plant(cause: Cause, seed: int) -> Planted:
    """Make a world in which a pair is not separated for one reason.

    Not every draw of it leaves the pair unseparated: what the worlds plant is a gap too small for the table,
    not one that is never found. It is at least 2 points, or none, so that the fix promises to settle it.
    """
    two = {"a": 0.3, "b": 0.0}
    if cause is Cause.CEILING:
        return Planted(cause, World(seed, {"a": 0.4, "b": 0.0}, difficulty=-1.8, taste=0.2), 250)
    if cause is Cause.FLOOR:
        return Planted(cause, World(seed, two, difficulty=2.0, taste=0.2), 250)
    if cause is Cause.TOO_FEW_ITEMS:
        return Planted(cause, World(seed, two, taste=0.7), 100)
    if cause is Cause.TOO_FEW_SOURCES:
        return Planted(cause, World(seed, two, taste=0.7, cluster_size=20), 400)
    if cause is Cause.REPLICATE_NOISE:
        return Planted(cause, World(seed, two, slope=1.0, spread=0.3), 100, replicates=3)
    if cause is Cause.GRADER_NOISE:
        return Planted(cause, World(seed, two, grader_error=0.25), 200, gradings=2)
    if cause is Cause.BROKEN_ITEMS:
        others = {f"m{place:02d}": (-1) ** place * (0.8 + 0.2 * place) for place in range(14)}
        abilities = {"a": 0.2, "b": -0.2, **others}
        return Planted(cause, World(seed, abilities, spread=1.8, backward=0.35), 300)
    if cause is Cause.MISSING_DATA:
        return Planted(cause, World(seed, two, lost={"a": (0.3, 0.3)}), 400)
    if cause is Cause.EQUIVALENT:
        return Planted(cause, World(seed, {"a": 0.0, "b": 0.0}, taste=0.1), 4000)
    raise ValueError(f"no world is planted for {cause.value!r}.")
