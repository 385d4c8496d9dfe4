"""What a finished contrastive run left on the disk, as its page reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from tellapart.contrastive.benchmark import SCHEMAS, Header
from tellapart.contrastive.excluding import Exclusion
from tellapart.contrastive.item_table import ITEM_SCHEMA
from tellapart.contrastive.kept_benchmark import KEPT, kept_models
from tellapart.contrastive.names import name_overlaps, split_by_names
from tellapart.contrastive.page.excluded import RunWithout
from tellapart.contrastive.results import NameSplit, Report, SelectionBias, SetUps
from tellapart.contrastive.summaries import Summary
from tellapart.contrastive.suspects import SUSPECTS, SuspectEffect, Suspects, suspect_effect
from tellapart.core.comparison import Comparison, ComparisonSettings
from tellapart.core.record import Record
from tellapart.files import as_objects, texts_of
from tellapart.report.missing_reasons import reasons
from tellapart.report.numbers import listed
from tellapart.store import RunDirectory, RunRecord, load_record

SUITE = "contrastive"

LEVELS_AS_DETAIL = ComparisonSettings(by="difficulty")


@dataclass(frozen=True)
class View:
    """A run to be reported.

    Attributes:
        run: Where it is; the frames are read when they are asked for.
        report: All results, as the suite wrote them.
        header: How the benchmark was built.
        suspects: Distractors that may be second right answers.
        validation: The set-ups compared, where they were.
    """

    run: RunDirectory
    report: Report
    header: Header
    suspects: Suspects
    bias: SelectionBias | None = None
    validation: SetUps | None = None
    settings: ComparisonSettings = LEVELS_AS_DETAIL

    @property
    def record(self) -> RunRecord:
        """``run.json``."""
        return self.run.record

    @property
    def exclusion(self) -> Exclusion | None:
        """Items that the run is read without."""
        return self.run.exclusion if isinstance(self.run, RunWithout) else None

    @cached_property
    def models(self) -> tuple[str, ...]:
        """What was compared: in the order asked for, then anything else by name."""
        with_results = set(self.report.overall)
        config = self.record.config
        where = f"{self.run.path / 'run.json'}: 'config'"
        llms = [llm.get("model") for llm in as_objects(config.get("llms"), where)]
        names = [*texts_of(config.get("models"), where), *texts_of(llms, where)]
        in_config = [name for name in dict.fromkeys(names) if name in with_results]
        return (*in_config, *sorted(with_results - set(in_config)))

    @cached_property
    def comparison(self) -> Comparison | None:
        """What the run's scores say of the models; None where fewer than two have a score."""
        return self.run.comparison(self.settings)

    @cached_property
    def suspect_effect(self) -> SuspectEffect:
        """How many items may have a second right answer, and which verdicts hang on them."""
        items = self.sets["item"].to_list()
        return suspect_effect(self.suspects, items, self.run.scores(), self.settings, self.comparison)

    @cached_property
    def names(self) -> NameSplit | None:
        """Accuracy and leads by how much of the name a summary has."""
        names = dict(self.units.select("id", "name").iter_rows())
        texts = [Summary(*row) for row in self.summaries.select("unit", "source", "text").iter_rows()]
        overlaps = name_overlaps(names, texts)
        scores, settings = self.run.scores(), self.settings
        return split_by_names(
            scores,
            self.items,
            overlaps,
            baseline=settings.baseline,
            primary=settings.primary or scores.notes.primary,
        )

    @cached_property
    def writers(self) -> dict[str, float]:
        """Mean score of each writer over all matchers, best first; empty where models are compared."""
        scores = self.run.scores().frame.drop_nulls("score")
        if not set(scores["model"]) - set(self.report.overall):
            return {}
        means = {str(name): fsum(rows["score"]) / rows.height for (name,), rows in scores.group_by("model")}
        return dict(sorted(means.items(), key=lambda entry: (-entry[1], entry[0])))

    @property
    def compared(self) -> str:
        """What the verdict is about, in the plural."""
        return "writers" if self.writers else "models"

    @cached_property
    def llms(self) -> tuple[str, ...]:
        """Those of the models that language models answered for, in the same order."""
        ordering = set(self.items.filter(pl.col("method") == "llm")["model"])
        return tuple(model for model in self.models if model in ordering)

    @property
    def of_language_models(self) -> bool:
        """Whether language models ordered the options or wrote the summaries."""
        return bool(self.llms or self.report.summaries)

    @property
    def embedders(self) -> tuple[str, ...]:
        """The other models."""
        return tuple(model for model in self.models if model not in self.llms)

    @cached_property
    def matchers(self) -> dict[str, str]:
        """By model, what ranked the options; ``run.json`` names language models so."""
        return dict(self.items.select("model", "matcher").unique().sort("model").iter_rows())

    @cached_property
    def sources(self) -> dict[str, str]:
        """By model, who wrote the summaries that it was asked with."""
        return dict(self.items.select("model", "source").unique().sort("model").iter_rows())

    @cached_property
    def language_models(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Each language model that was asked: its name, what for, and what the record says of that."""
        wrote = kept_models(self.run.path / KEPT)
        ordered = {name: model for name, model in self.record.models.items() if "requested" in model}
        tasks = (("summaries", wrote), ("options", ordered))
        return [(name, task, model) for task, models in tasks for name, model in models.items()]

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Levels that were asked, in ascending order of difficulty."""
        return tuple(self.report.by_difficulty)

    @cached_property
    def items(self) -> pl.DataFrame:
        """One row a model and item, asked with the real summaries."""
        return self.run.frame("items.parquet", ITEM_SCHEMA).filter(pl.col("condition") == "summary")

    @cached_property
    def units(self) -> pl.DataFrame:
        """Code: targets and candidates."""
        return self._benchmark("units.parquet")

    @cached_property
    def summaries(self) -> pl.DataFrame:
        """``unit``, ``source`` and ``text``."""
        return self._benchmark("summaries.parquet")

    @cached_property
    def sets(self) -> pl.DataFrame:
        """One row an item, with its distractors."""
        return self._benchmark("sets.parquet")

    @cached_property
    def distractors(self) -> dict[str, int]:
        """Most distractors of an item, by level."""
        return {level: options - 1 for level, options in self._by_level(pl.col("options").max()).items()}

    @cached_property
    def chance(self) -> dict[str, float]:
        """Accuracy of guessing, by level."""
        # A sum by Polars' threads has another last digit now and then.
        by_level = self._by_level(1 / pl.col("options"))
        return {level: fsum(rates) / len(rates) for level, rates in by_level.items()}

    @cached_property
    def item_counts(self) -> dict[str, int]:
        """Items, by level."""
        return self._by_level(pl.col("item").n_unique())

    def _by_level(self, value: pl.Expr) -> dict[str, Any]:
        return dict(self.items.group_by("level").agg(value.alias("value")).iter_rows())

    def _benchmark(self, name: str) -> pl.DataFrame:
        return self.run.frame(f"{KEPT}/{name}", SCHEMAS[name])


def load(run: RunDirectory, settings: ComparisonSettings = LEVELS_AS_DETAIL) -> View:
    """Read the record of a contrastive run."""
    run.check_suite(SUITE)
    artifacts = run.artifacts
    header = _read(Header, artifacts / "benchmark" / "benchmark.json")
    suspects = _read(Suspects, run.path / SUSPECTS)
    if isinstance(run, RunWithout):
        # What was stored beside the report is of all items.
        return View(run, run.report, header, suspects, settings=settings)
    return View(
        run,
        _read(Report, artifacts / "report.json"),
        header,
        suspects,
        _read_if_there(SelectionBias, artifacts / "bias.json"),
        _read_if_there(SetUps, artifacts / "validation.json"),
        settings,
    )


R = TypeVar("R", bound=Record)


def _read(record: type[R], path: Path) -> R:
    return load_record(path, record, "part of a run")


def _read_if_there(record: type[R], path: Path) -> R | None:
    return _read(record, path) if path.exists() else None


BETWEEN = " | "
"""Between the writer of summaries and the matcher, where a model is both."""


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Leave out providers, as in ``anthropic/claude`` or ``openai/gpt | bm25``, unless two would be alike."""
    short = {
        model: BETWEEN.join(part.rpartition("/")[2] for part in model.split(BETWEEN)) for model in models
    }
    return short if len(set(short.values())) == len(short) else {model: model for model in models}


def full_name(view: View, model: str) -> str:
    """Name a model in a sentence, with the matcher where only the writer of the summaries is in its name."""
    return f"{model} (matched by {view.matchers[model]})" if model in _by_writer(view) else model


def matched_by(view: View) -> str:
    """Say behind the title of a table who matched, where rows are named by the writers of summaries alone.

    Empty where matchers are in the names, and where no language model matched.
    """
    matchers = sorted({view.matchers[model] for model in _by_writer(view)})
    return f", matched by {listed(matchers)}" if matchers else ""


def _by_writer(view: View) -> list[str]:
    """Language models among the rows that are named by who wrote the summaries alone."""
    return [
        model for model in view.llms if model == view.sources[model] and len(set(view.sources.values())) > 1
    ]


NO_SUMMARY = "no summary, so not asked"


def reasons_of(view: View, model: str) -> list[tuple[str, str | None, int]]:
    """Count why answers of a model are missing, as ``tellapart.report.missing_reasons.reasons`` does.

    A language model is not asked about a target without a summary: what happened is then ``NO_SUMMARY``.
    """
    rows = view.items.filter(pl.col("model") == model)
    if model in view.llms:
        # Whoever was asked was shown the target in a slot.
        unasked = pl.col("slot").is_null()
        rows = rows.with_columns(
            pl.when(unasked).then(pl.lit(NO_SUMMARY)).otherwise("failure").alias("failure")
        )
    return reasons(rows)
