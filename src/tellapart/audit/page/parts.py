"""The parts of which an audit's figures are made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from tellapart.core.comparison import Verdict
from tellapart.core.comparison.record import PairRecord

Ends = tuple[float, float]
OpenEnds = tuple[float | None, float | None]


class Part(BaseModel):
    """A part of the figures: nothing may be left out, and nothing may stand there that is not shown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Caution(Part):
    """Something to know first."""

    kind: str
    text: str


class Why(Part):
    """A cause and its evidence."""

    cause: str
    text: str


class Fix(Part):
    """Something to do, and what it costs."""

    action: str
    cost_items: int
    cost_replicates: int
    cost_answers: int | None = None
    text: str
    stratum: tuple[str, str] | None
    items: tuple[str, ...]


class Pair(PairRecord):
    """Two models as `PairRecord` has them, with causes and fixes; see ``Pair`` of the audit.

    ``diff``, ``ci`` and ``p_holm`` are older names of ``difference``, ``interval`` and ``p_adjusted``.
    """

    diff: float | None
    ci: Ends | None
    p_holm: float | None
    why: tuple[Why, ...]
    fix: tuple[Fix, ...]

    @property
    def separated(self) -> bool:
        """Whether one of the two is better."""
        return self.verdict in (Verdict.A_BETTER, Verdict.B_BETTER)

    @property
    def ahead(self) -> str:
        """The better one; of two that are not separated, the one with the higher mean, ``a`` of a tie."""
        return self.b if (self.difference or 0.0) < 0 else self.a

    @property
    def behind(self) -> str:
        """The other one."""
        return self.a if self.ahead == self.b else self.b

    @property
    def names(self) -> str:
        """Both, in the order of ``ahead`` and ``behind``."""
        return f"{self.ahead} and {self.behind}"

    @property
    def lead(self) -> float | None:
        """Difference of the one ahead and the other."""
        return None if self.difference is None else abs(self.difference)

    @property
    def lead_interval(self) -> Ends | None:
        """Interval of ``lead``."""
        if self.interval is None or self.ahead == self.a:
            return self.interval
        return (0.0 - self.interval[1], 0.0 - self.interval[0])


class Stratum(Part):
    """What one kind of items separates."""

    separated_paired: float | None
    items: int
    means: dict[str, float | None]
    items_needed: dict[str, int | None]


class Ranked(Part):
    """A model in the ranking."""

    model: str
    n: int
    mean: float | None
    ci: Ends | None
    ci_bootstrap: Ends | None
    bounds: OpenEnds | None
    rank: int | None
    rank_ci: tuple[int, int] | None
    win_rate: float | None


class Flagged(Part):
    """An item to look at."""

    item: str
    reason: str
    discrimination: float | None
    twin: str | None


class Reliability(Part):
    """How consistently the items rank the models, as ``kr20`` or ``alpha``."""

    kr20: float | None = None
    alpha: float | None = None
    over_models: tuple[str, ...]
    items: int
    reason: str

    @property
    def name(self) -> str:
        """What the field calls the coefficient."""
        return "KR-20" if "kr20" in self.model_fields_set else "Cronbach's α"

    @property
    def value(self) -> float | None:
        """The coefficient, None where ``reason`` says why."""
        return self.kr20 if "kr20" in self.model_fields_set else self.alpha


class Variance(Part):
    """Where the scores' variance comes from."""

    model: float | None
    item: float | None
    model_item: float | None
    replicate: float | None
    grading: float | None
    reason: str

    @property
    def parts(self) -> dict[str, float | None]:
        """By name, in the order in which they are told."""
        return {name: value for name, value in self.model_dump().items() if name != "reason"}


class Order(Part):
    """How firmly the models are ordered."""

    between_strata: dict[str, dict[str, float | None]]
    halves_tau: float | None
    halves_correlation: float | None
    spearman_brown: float | None
    without_flagged: float | None
    reason: str


class SmallestSet(Part):
    """The fewest items that keep the ranking."""

    items: tuple[str, ...]
    chosen_on: tuple[str, ...]
    confirmed_on: tuple[str, ...]
    tau_chosen: float | None
    tau_heldout: float | None
    reason: str


class Options(Part):
    """What the audit was asked."""

    by: str | None
    baseline: str | None
    primary: tuple[str, str] | None
    primary_declared: bool
    sesoi: float
    alpha: float
    alpha_planned: float
    power: float
    resamples: int
    seed: int
