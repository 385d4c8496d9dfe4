"""A finished contrastive run, as its report reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.audit.ranking import rank_as_compared
from tellapart.audit.results import Ranked
from tellapart.contrastive.answers import ITEM_SCHEMA, SWAP_SCHEMA
from tellapart.contrastive.benchmark import KEPT, Benchmark, Header, kept_models, read_benchmark
from tellapart.contrastive.figures import Report, cautions, report_results
from tellapart.contrastive.suspects import Suspect, find_suspects
from tellapart.core.comparison import Comparison, ComparisonSettings, compare_scored
from tellapart.core.fingerprint import sha256
from tellapart.core.score_grid import score_grid
from tellapart.core.scores import ScoreTable
from tellapart.errors import InputError, close_match
from tellapart.files import as_objects, decode, read_bytes, texts_of
from tellapart.store import RunDirectory

SUITE = "contrastive"

LEVELS_AS_DETAIL = ComparisonSettings(by="difficulty")


@dataclass(frozen=True)
class Exclusion:
    """Items, of so many, that somebody left out after the scores were known, and the file that names them."""

    path: Path
    sha256: str
    items: frozenset[str]
    of: int

    def kept(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Give the rows whose ``item`` is not left out."""
        return rows.filter(~pl.col("item").is_in(sorted(self.items)))


@dataclass(frozen=True)
class View:
    """A run to be reported, without the items that are left out; ``items`` are answers to real summaries."""

    run: RunDirectory
    benchmark: Benchmark
    items: pl.DataFrame
    report: Report
    scores: ScoreTable
    suspects: tuple[Suspect, ...]
    settings: ComparisonSettings = LEVELS_AS_DETAIL
    exclusion: Exclusion | None = None

    @property
    def header(self) -> Header:
        """How the benchmark was built."""
        return self.benchmark.header

    @cached_property
    def models(self) -> tuple[str, ...]:
        """What was compared: in the order asked for, then anything else by name."""
        with_results = set(self.report.overall)
        config = self.run.record.config
        where = f"{self.run.path}: 'config'"
        llms = [llm.get("model") for llm in as_objects(config.get("llms"), where)]
        names = [*texts_of(config.get("models"), where), *texts_of(llms, where)]
        in_config = [name for name in dict.fromkeys(names) if name in with_results]
        return (*in_config, *sorted(with_results - set(in_config)))

    @cached_property
    def comparison(self) -> Comparison | None:
        """What the scores say of the models; None where fewer than two have a score."""
        return compare_scored(self.scores, self.settings)

    @cached_property
    def ranking(self) -> tuple[Ranked, ...]:
        """What was compared, best first; empty without a verdict."""
        return rank_as_compared(score_grid(self.scores), self.comparison, self.settings)

    @property
    def part(self) -> tuple[str, str] | None:
        """Column and value of the items that the verdict is about; None for all."""
        return self.settings.primary or self.scores.notes.primary

    @property
    def level(self) -> str | None:
        """The level that the verdict is about, where it is about one, or there is only one."""
        if self.part is None:
            return self.levels[0] if len(self.levels) == 1 else None
        return self.part[1] if self.part[0] == "difficulty" else None

    @cached_property
    def compares_writers(self) -> bool:
        """Whether the verdict is about writers of summaries over several matchers."""
        return bool(set(self.scores.frame["model"]) - set(self.report.overall))

    @cached_property
    def llms(self) -> tuple[str, ...]:
        """Those of the models that language models answered for, in the same order."""
        ordering = set(self.items.filter(pl.col("method") == "llm")["model"])
        return tuple(model for model in self.models if model in ordering)

    @property
    def of_language_models(self) -> bool:
        """Whether language models ordered the options or wrote the summaries."""
        return bool(self.llms or self.benchmark.by_models)

    @property
    def embedders(self) -> tuple[str, ...]:
        """The other models."""
        return tuple(model for model in self.models if model not in self.llms)

    @cached_property
    def matchers(self) -> dict[str, str]:
        """By model, what ranked the options; the run's record names language models so."""
        return dict(self.items.select("model", "matcher").unique().sort("model").iter_rows())

    @cached_property
    def sources(self) -> dict[str, str]:
        """By model, who wrote the summaries that it was asked with."""
        return dict(self.items.select("model", "source").unique().sort("model").iter_rows())

    @cached_property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Each language model that was asked: its name, what for, and what the record says of that."""
        wrote = kept_models(self.run.path / KEPT)
        ordered = {name: model for name, model in self.run.record.models.items() if "requested" in model}
        tasks = (("summaries", wrote), ("options", ordered))
        return [(name, task, model) for task, models in tasks for name, model in models.items()]

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Levels that were asked, in ascending order of difficulty."""
        return tuple(self.report.by_difficulty)

    @cached_property
    def by_level(self) -> dict[str, tuple[int, int, float]]:
        """Of each level its items, the most distractors of one, and the accuracy of guessing."""
        facts = self.items.unique(["item"]).group_by("level").agg("options")
        return {
            # A sum by Polars' threads has another last digit now and then.
            level: (len(options), max(options) - 1, fsum(1 / count for count in options) / len(options))
            for level, options in facts.iter_rows()
        }


def read_exclusion(path: Path, sets: pl.DataFrame) -> Exclusion:
    """Read which items to leave out, an id a line."""
    data = read_bytes(path)
    items = frozenset(filter(None, map(str.strip, decode(data, path).splitlines())))
    ids = set(sets["item"])
    if lost := sorted(items - ids):
        close = close_match(lost[0], sorted(ids))
        raise InputError(
            f"{len(lost):,} of the {len(items):,} items that it names {'is' if len(lost) == 1 else 'are'} "
            f"not in this benchmark, such as {lost[0]!r}",
            where=path,
            next_step=f"Did you mean {close!r}?" if close else f"An id of this benchmark is {min(ids)!r}",
        )
    if len(items) in (0, sets.height):
        raise InputError(
            f"it leaves out {'all' if items else 'none'} of the {sets.height:,} items",
            where=path,
            next_step="Name some of the items, or give the report without --exclude",
        )
    return Exclusion(path, sha256(data), items, sets.height)


def load(
    run: RunDirectory,
    settings: ComparisonSettings = LEVELS_AS_DETAIL,
    exclude: Path | None = None,
) -> View:
    """Read a contrastive run, without the items that a file names."""
    run.check_suite(SUITE)
    benchmark = read_benchmark(run.path / KEPT)
    items, scores = run.frame("items.parquet", ITEM_SCHEMA), run.scores()
    swaps, exclusion = run.frame("artifacts/swaps.parquet", SWAP_SCHEMA), None
    if exclude is not None:
        exclusion = read_exclusion(exclude, benchmark.sets)
        benchmark, items = replace(benchmark, sets=exclusion.kept(benchmark.sets)), exclusion.kept(items)
        swaps = swaps.filter(pl.col("target").is_in(benchmark.sets["target"].unique().to_list()))
        notes = {"excluded": len(exclusion.items), "cautions": cautions(items)}
        scores = ScoreTable.from_frame(
            exclusion.kept(scores.frame), limits=scores.limits, notes=scores.notes.model_copy(update=notes)
        )
    real = items.filter(condition="summary")
    report, suspects = report_results(benchmark, items, swaps), find_suspects(benchmark)
    return View(run, benchmark, real, report, scores, suspects, settings, exclusion)
