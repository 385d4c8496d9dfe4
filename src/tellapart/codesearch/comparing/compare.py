"""Systems that were evaluated on the same conversations: which is better, and against whose ground truth.

A system whose evaluation has no verdict on a file that another one's judge called relevant, or whose
explorers found other files, is measured with another ruler. So systems are compared against what all
evaluations know together, and the order is held against each tier of confidence, each product area and each
evaluation's own ground truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tellapart.codesearch.case import Case
from tellapart.codesearch.comparing.paired_views import view_record
from tellapart.codesearch.comparing.pooling import MEASURES, TIER_RECALL, Pool, PoolMeasure, pool_of
from tellapart.codesearch.comparing.words import sentences
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.aggregate import SEED, areas_of
from tellapart.core.randomness import generator
from tellapart.errors import InputError, UsageError

Record: TypeAlias = dict[str, Any]

EXPLORERS = (
    "the evaluations have different explorers, so that each system was measured with a ruler of its own"
)


@dataclass(frozen=True)
class _Common:
    """Conversations that every evaluation has.

    Attributes:
        systems: In the order of the evaluations.
        cases: One list a system, of the same conversations in ascending order of ids.
        pools: One a conversation.
    """

    systems: tuple[str, ...]
    cases: tuple[tuple[Case, ...], ...]
    pools: tuple[Pool, ...]

    @property
    def together(self) -> tuple[tuple[Pool, ...], ...]:
        """The pools, by system and conversation: the same for all."""
        return (self.pools,) * len(self.systems)

    @property
    def apart(self) -> tuple[tuple[Pool, ...], ...]:
        """What each system's own evaluation knows, by system and conversation."""
        return tuple(tuple(pool_of([case]) for case in own) for own in self.cases)


def compare(evaluations: Mapping[str, Evaluation], *, seed: int = SEED, alpha: float = 0.05) -> Record:
    """Compare systems on the conversations that all of their evaluations have.

    Args:
        evaluations: By name of the system, two or more.
        seed: Of the sign flips, where they are too many to count.
        alpha: Level, in (0, 1), of Holm's correction over the pairs of systems in each view.

    Returns:
        For JSON: ``systems``; ``conversations`` in common and ``only_in`` some, by system; ``explorers`` by
        system and whether these are the ``same_explorers``; in how many conversations the
        ``ground_truth_differs``; the ``measure`` of the verdict, f1, or recall_union where no verdict was
        given; the views ``pooled`` (by measure), ``tiers`` (recall by tier), ``areas`` (the measure by
        product area) and ``own`` (the measure, each system against its own evaluation), see
        `paired_views.view_record`; ``verdicts``, see `_verdict`; and ``sentences`` for people.

    Raises:
        UsageError: There are fewer than two.
        InputError: They have no conversation in common.
    """
    common = _common(evaluations)
    measure = _measure(common)
    names = {name: _explorers(own) for name, own in zip(common.systems, common.cases, strict=True)}
    views = _views(common, measure, seed)
    same = len({tuple(each.values()) for each in names.values()}) == 1
    found: Record = {
        "systems": list(common.systems),
        "conversations": len(common.pools),
        "only_in": {name: len(evaluations[name].cases) - len(common.pools) for name in common.systems},
        "explorers": names,
        "same_explorers": same,
        "ground_truth_differs": sum(
            len({case.ground_truth for case in of}) > 1 for of in zip(*common.cases, strict=True)
        ),
        "measure": measure,
        "alpha": alpha,
        **views,
    }
    if not same:
        for pair in found["own"]["pairs"]:
            pair["withheld"] = EXPLORERS
    pairs = range(len(found["own"]["pairs"]))
    found["verdicts"] = [_verdict(found, n, alpha) for n in pairs]
    return found | {"sentences": sentences(found)}


def _common(evaluations: Mapping[str, Evaluation]) -> _Common:
    if len(evaluations) < 2:
        raise UsageError(f"there is {len(evaluations)} evaluation to compare, expected two or more")
    by_id = {name: {case.conversation.id: case for case in one.cases} for name, one in evaluations.items()}
    ids = sorted(set.intersection(*(set(own) for own in by_id.values())))
    if not ids:
        shown = [f"{name} has {min(own, default=None)!r}" for name, own in by_id.items()]
        raise InputError(
            f"the evaluations have no conversation in common: {', '.join(shown)}",
            next_step="Evaluate the systems on the same conversations",
        )
    cases = tuple(tuple(own[one] for one in ids) for own in by_id.values())
    return _Common(tuple(by_id), cases, tuple(pool_of(of) for of in zip(*cases, strict=True)))


def _measure(common: _Common) -> str:
    judged = any(
        v.relevant is not None for own in common.cases for case in own for v in case.verdicts.values()
    )
    needed = any(pool.open for pool in common.pools)
    return "f1" if judged or not needed else "recall_union"


def _explorers(cases: Sequence[Case]) -> dict[str, str]:
    return {
        run: ", ".join(sorted({getattr(case, run).explorer for case in cases})) for run in ("run_a", "run_b")
    }


def _views(common: _Common, measure: str, seed: int) -> Record:
    everything = range(len(common.pools))
    place = {case.conversation.id: n for n, case in enumerate(common.cases[0])}
    areas = {
        area: [place[case.conversation.id] for case in of] for area, of in areas_of(common.cases[0]).items()
    }

    def view(name: str, of: PoolMeasure, places: Sequence[int], pools: Sequence[Sequence[Pool]]) -> Record:
        cases = [[own[n] for n in places] for own in common.cases]
        own_pools = [[own[n] for n in places] for own in pools]
        return view_record(
            common.systems, of, cases, own_pools, generator(seed, "codesearch comparison", name)
        )

    own, together = MEASURES[measure], common.together
    return {
        "pooled": {name: view(name, of, everything, together) for name, of in MEASURES.items()},
        "tiers": {tier.value: view(tier.value, of, everything, together) for tier, of in TIER_RECALL.items()},
        "areas": {area: view(f"area {area}", own, places, together) for area, places in areas.items()},
        "own": view("own", own, everything, common.apart),
    }


def _verdict(found: Record, n: int, alpha: float) -> Record:
    """Say whether one system is better than another wherever one looks.

    Returns:
        ``a``, ``b``, the ``leader`` against the pool, whether that is ``beyond_chance``, ``withheld``, and by
        view how the others compare: ``same``, ``reversed``, ``tied``, ``withheld`` or, without a conversation
        that both have a value on, ``unknown``. ``holds`` is False where any is reversed, None where the
        verdict or any view is withheld or there is no leader, else True.
    """
    pair = found["pooled"][found["measure"]]["pairs"][n]
    others = {f"tier {name}": view for name, view in found["tiers"].items()}
    others |= {f"area {name}": view for name, view in found["areas"].items()}
    others["own ground truth"] = found["own"]
    views = {name: _against(pair["leader"], view["pairs"][n]) for name, view in others.items()}
    withheld = EXPLORERS if not found["same_explorers"] else pair["withheld"]
    holds: bool | None = "reversed" not in views.values()
    if withheld or pair["leader"] is None or (holds and "withheld" in views.values()):
        holds = None
    return {
        "a": pair["a"],
        "b": pair["b"],
        "leader": None if withheld else pair["leader"],
        "withheld": withheld,
        "beyond_chance": None if withheld or pair["p_holm"] is None else pair["p_holm"] <= alpha,
        "holds": holds,
        "views": views,
    }


def _against(leader: str | None, pair: Record) -> str:
    if not pair["conversations"]:
        return "unknown"
    if pair["withheld"]:
        return "withheld"
    if pair["leader"] is None or leader is None:
        return "tied"
    return "same" if pair["leader"] == leader else "reversed"
