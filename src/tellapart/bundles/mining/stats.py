"""What a mining run found, in figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict

from tellapart.bundles.mining.settings import STRENGTHS, Settings, strength
from tellapart.bundles.mining.verdicts import POOL_TOO_SMALL
from tellapart.bundles.rounding import rounded
from tellapart.embed.protocol import F64


class SingleLineup(BaseModel):
    """What mining with the first lineup alone would have accepted of the same candidates.

    Attributes:
        passed: Candidates whose first lineup is passed.
        pass_rate: ``passed / candidates_tested``; None without candidates.
        expected_pass_rate: Its expectation over the lineups drawn: the mean of passes / lineups.
        pseudo_killers: Those of ``passed`` with fewer than ``min_passes`` passes, which multi-lineup
            validation removes.
        pseudo_killer_share: ``pseudo_killers / passed``; None where none passed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    passed: int
    pass_rate: float | None
    expected_pass_rate: float | None
    pseudo_killers: int
    pseudo_killer_share: float | None


class MiningStats(BaseModel):
    """Figures of a mining run; all but ``duration_s`` are the same for the same events and parameters.

    Attributes:
        candidates_tested: Candidates that had lineups; each is accepted or rejected.
        accepted: Bundles written.
        mining_pass_rate: ``accepted / candidates_tested``; None without candidates.
        pass_distribution: Candidates tested by their number of passes, from 0 to the number of lineups.
        strengths: Accepted bundles by strength; ``none`` is below ``low``.
        single_lineup: See there.
        rejected: Candidates tested and not accepted, by cause.
        not_tested: Candidates without lineups, by cause.
        senses: Senses among the events.
        senses_without_pair: Those of them that have no two distinct texts.
        events: Events read.
        threshold: Danger from which a lineup is passed.
        danger: Quantiles over all lineups of all candidates: ``q50``, ``q90``, ``q99`` and ``max``.
        model: What embedded.
        parameters: As they were asked for.
        events_fingerprint: SHA-256 of the events, whatever their order.
        duration_s: Seconds of work, those of interrupted runs included.
        tellapart_version: Of the program.

    Source:
        "Crucible Metrics Reference", Multi-Lineup Validation Metrics; from ``single_lineup`` on ours.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    candidates_tested: int
    accepted: int
    mining_pass_rate: float | None
    pass_distribution: dict[str, int]
    strengths: dict[str, int]
    single_lineup: SingleLineup
    rejected: dict[str, int]
    not_tested: dict[str, int]
    senses: int
    senses_without_pair: int
    events: int
    threshold: float
    danger: dict[str, float | None]
    model: str
    parameters: dict[str, Any]
    events_fingerprint: str
    duration_s: float
    tellapart_version: str

    def description(self) -> str:
        """A few lines for people."""
        single = self.single_lineup
        spread = ", ".join(f"{passes}: {count:,}" for passes, count in self.pass_distribution.items())
        return "\n".join(
            [
                f"accepted {self.accepted:,} of {self.candidates_tested:,} candidates"
                f" ({_percent(self.mining_pass_rate)}) at danger >= {self.threshold:.3f}:"
                f" {_listed(self.strengths)}",
                f"candidates by passes: {spread}",
                f"a single lineup would pass {single.passed:,} ({_percent(single.pass_rate)}, expected "
                f"{_percent(single.expected_pass_rate)}); {single.pseudo_killers:,} of them pseudo-killers",
                f"rejected: {_listed(self.rejected)}; not tested: {_listed(self.not_tested)}",
                f"danger of a lineup: {', '.join(f'{name} {_danger(q)}' for name, q in self.danger.items())}",
            ]
        )


def figures(judged: pl.DataFrame, settings: Settings) -> dict[str, Any]:
    """The figures that follow from judged candidates alone; see ``MiningStats``."""
    lineups = settings.lineups
    tested = judged.filter(pl.col("cause").fill_null("") != POOL_TOO_SMALL)
    accepted = tested.filter(pl.col("cause").is_null())
    n, passes = tested.height, tested["passes"]
    found = np.bincount(passes.to_numpy(), minlength=lineups + 1)
    strong: list[str] = [strength(count, lineups) or "none" for count in accepted["passes"]]
    causes = judged["cause"].drop_nulls().value_counts(sort=False)
    by_cause = dict(sorted(causes.iter_rows()))
    first = tested.filter("first")
    pseudo_killers = first.filter(pl.col("passes") < settings.min_passes).height
    return {
        "candidates_tested": n,
        "accepted": accepted.height,
        "mining_pass_rate": _share(accepted.height, n),
        "pass_distribution": {str(i): int(count) for i, count in enumerate(found)},
        "strengths": {name: strong.count(name) for name in (*STRENGTHS, "none")},
        "single_lineup": SingleLineup(
            passed=first.height,
            pass_rate=_share(first.height, n),
            expected_pass_rate=_share(int(passes.sum()), n * lineups),
            pseudo_killers=pseudo_killers,
            pseudo_killer_share=_share(pseudo_killers, first.height),
        ),
        "rejected": {cause: count for cause, count in by_cause.items() if cause != POOL_TOO_SMALL},
        "not_tested": {POOL_TOO_SMALL: by_cause.get(POOL_TOO_SMALL, 0)},
        "danger": _quantiles(tested["dangers"].explode().to_numpy()),
    }


def _quantiles(dangers: F64) -> dict[str, float | None]:
    names = {"q50": 0.5, "q90": 0.9, "q99": 0.99, "max": 1.0}
    if not len(dangers):
        return dict.fromkeys(names)
    return {name: rounded(float(np.quantile(dangers, share))) for name, share in names.items()}


def _share(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _danger(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
