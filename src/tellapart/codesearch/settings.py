"""How an evaluation is done: explorers, judge, limits and seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.codesearch.config import OFFLINE, Config
from tellapart.codesearch.explorer_kinds import KINDS, parse_name
from tellapart.codesearch.explorers.agent import AgentOptions, explore_prompt
from tellapart.core.seed import SEED
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.models import LanguageModel

UNNAMED = "search"
"""What a system under test is called whose name nobody says."""


@dataclass(frozen=True)
class EvaluationSettings:
    """How to evaluate.

    Attributes:
        explorers: Names of run A's and run B's.
        judge: Who rules on what only we found; None leaves it unjudged, so that there are only bounds.
        judge_repeats: How often each file is put to the judge.
        assess: Whether the judge also says what it makes of each search as a whole.
        retest: So many conversations are explored once more by each explorer, to see whether it agrees with
            itself; the first ones in an order that follows from the seed.
        concurrency: Explorations under way at the same time.
        system: Name of the system under test; None takes what the search results say, else ``UNNAMED``.
        unranked: Whether the order of the system's files means nothing.
        seed: Of the resamples and of the retest's choice.
        limits: What language models may cost, and their calls at the same time.
        agents: How explorers that are language models are asked.
        reuse: An earlier run; what its explorers found and its judge answered is not asked again.
        again: Whether of the judge's answers in ``reuse`` only verdicts are taken over, so that what it
            answered without giving one is asked again.
    """

    explorers: tuple[str, str] = OFFLINE
    judge: LanguageModel | None = None
    judge_repeats: int = Config.judge_repeats
    assess: bool = Config.assess
    retest: int = Config.retest
    concurrency: int = Config.concurrency
    system: str | None = None
    unranked: bool = False
    seed: int = SEED
    limits: Limits = NO_LIMITS
    agents: AgentOptions = field(default_factory=AgentOptions)
    reuse: Path | None = None
    again: bool = False

    def record(self) -> dict[str, Any]:
        """What may change the figures, JSON-able, for the run's record."""
        return {
            "explorers": {name: self._explorer(name) for name in self.explorers},
            "run_a": self.explorers[0],
            "run_b": self.explorers[1],
            "assess": self.assess and self.judge is not None,
            "retest": self.retest,
            "system": self.system,
            "unranked": self.unranked,
            **({"again": True} if self.again else {}),
        }

    def _explorer(self, name: str) -> dict[str, Any]:
        kind, argument = parse_name(name)
        if not KINDS[kind].asks_model:
            return {}
        requested = self.agents.model(argument).requested() if kind == "agent" else {}
        limits = {"turns": self.agents.turns, "seconds": self.agents.seconds, "tokens": self.agents.tokens}
        return {**requested, **limits, "prompt": explore_prompt().sha256}
