"""``config.json``: the documented keys, what pipelines write beside them, and ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tellapart.codesearch.explorers.registry import KINDS

NO_JUDGE = "none"
"""The judge that leaves everything unjudged."""

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
OneOrMore = Annotated[int, Field(ge=1)]

_OFFLINE = ("lexical", "symbols")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Models(_Part):
    """``models``, as documented; see `Config.explorer_names` for what a bare name means."""

    exploration_opus: str | None = None
    exploration_sonnet: str | None = None
    judge: str | None = None


class Explorers(_Part):
    """``explorers``: names as users type them, before those of ``models``."""

    run_a: str | None = None
    run_b: str | None = None


class Search(_Part):
    """``search``: the system under test.

    Attributes:
        command: Run for each issue; None takes the lexical search.
        top_k: Most files of a conversation; None takes what ``search`` gives by itself.
    """

    command: str | None = None
    top_k: OneOrMore | None = None


class Convergence(_Part):
    """``loop.convergence``: precision and recall that stay within ``change`` over ``iterations`` steps."""

    change: Share = 0.02
    iterations: OneOrMore = 2


class Loop(_Part):
    """``loop``: when to go on.

    Attributes:
        min_iterations: Neither thresholds nor convergence stop it before.
        max_iterations: It stops after so many.
        precision_threshold: Reached together with ``recall_threshold``, the loop is done.
        recall_threshold: See there.
        convergence: What counts as no change.
        regression: Precision or recall of a product area may fall by so much.
        improve: A command that is run between two iterations; None leaves the system as it is.
    """

    min_iterations: OneOrMore = 2
    max_iterations: OneOrMore = 5
    precision_threshold: Share = 0.8
    recall_threshold: Share = 0.7
    convergence: Convergence = Convergence()
    regression: Share = 0.10
    improve: str | None = None


class Config(_Part):
    """What a pipeline is configured with.

    Attributes:
        repos_path: The directory of the repositories; None where flags say it.
        approved_repos: Names of those that may be read.
        calibration_iterations: For so many iterations the explorers' overlap is counted.
        calibration_overlap_threshold: From this overlap on, run B's explorer explores alone.
        models: As documented.
        explorers: Ours.
        search: The system under test.
        loop: When to go on.
        state: The file that remembers the iterations; None where flags, or the loop, say it.
        retest: So many conversations are explored a second time by the same explorer.
        concurrency: Explorations under way at the same time.
        judge_repeats: How often each file is put to the judge.
        assess: Whether a judge also assesses each search as a whole.
        seed: Of everything that is drawn.
    """

    repos_path: Path | None = None
    approved_repos: tuple[str, ...] = ()
    calibration_iterations: Count = 2
    calibration_overlap_threshold: Share = 0.9
    models: Models = Models()
    explorers: Explorers = Explorers()
    search: Search = Search()
    loop: Loop = Loop()
    state: Path | None = None
    retest: Count = 0
    concurrency: OneOrMore = 4
    judge_repeats: OneOrMore = 1
    assess: bool = True
    seed: int = 42

    @property
    def explorer_names(self) -> tuple[str, str]:
        """Run A's and run B's explorer.

        ``explorers`` goes before ``models``. Of ``models`` a bare name is explored with by Claude Code, as
        documented; a name with a provider is asked as an agent; the name of an explorer is taken as it is.
        What neither names is explored offline.
        """
        documented = (self.models.exploration_opus, self.models.exploration_sonnet)
        ours = (self.explorers.run_a, self.explorers.run_b)
        run_a, run_b = (
            own or (_explorer(model) if model else offline)
            for own, model, offline in zip(ours, documented, _OFFLINE, strict=True)
        )
        return run_a, run_b

    @property
    def judge_name(self) -> str:
        """The judge as ``PROVIDER/MODEL``, a bare name being Anthropic's; ``none`` where there is none."""
        name = self.models.judge or NO_JUDGE
        return name if name == NO_JUDGE or "/" in name else f"anthropic/{name}"


def _explorer(model: str) -> str:
    if model.partition(":")[0] in KINDS:
        return model
    return f"agent:{model}" if "/" in model else f"claude-code:{model}"
