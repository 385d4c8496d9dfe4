"""The front door in Python: audit, compare, read scores, open a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, get_type_hints

import polars as pl
from pydantic import TypeAdapter, ValidationError
from rich.text import Text

from tellapart.audit.options import AuditOptions
from tellapart.audit.page import sections, sentences
from tellapart.audit.page.strata import keyed
from tellapart.audit.reading import NamedFrame, Reading, Source, Together, matching_paths
from tellapart.audit.reading import read_scores as read_sources
from tellapart.audit.reading.column_names import likely_columns
from tellapart.audit.reading_settings import ReadingSettings, parse_missing, parse_wide
from tellapart.audit.results import Findings
from tellapart.audit.run import audit_reading
from tellapart.audit.tracked import tracked_audit
from tellapart.compare import page as compare_page
from tellapart.compare.results import CompareRecord
from tellapart.compare.run import GateOptions, ModelComparison, compare_reading
from tellapart.compare.tracked import tracked_comparison
from tellapart.core.comparison import SESOI, ComparisonSettings, OnUnclear, parse_primary
from tellapart.core.comparison.pair_frame import pair_frame
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.errors import UsageError, near_match, quoted
from tellapart.report import comparison as block
from tellapart.report.document import Document
from tellapart.report.result import Result
from tellapart.report.terminal import fitted_table
from tellapart.store import RunDirectory

if TYPE_CHECKING:
    from rich.console import RenderableType

_SCORES = (
    "a path, a pattern, a folder, a list of these, a frame of polars, pandas or Arrow, or a dictionary "
    "{model: {item: score}}"
)


_COLUMNS = ("model", "item", "score")
"""Columns of ours that have an option of their own."""


class ReadingOptions(TypedDict, total=False):
    """How scores are read; all of it is optional.

    Attributes:
        model: The column of models, of a table.
        item: The column of items.
        score: The column of scores.
        columns: Further columns, as ours -> theirs: ``missing``, ``replicate``, ``cluster`` and strata.
        wide: Which columns a table with one column per model has, as the option ``--wide`` takes it:
            ``"item=question,models=gpt+llama"``; seen without it where the names leave no doubt.
        right: In a table whose scores are two words: the one that is right.
        missing: The number that stands for no score; ``"none"`` where every number is a score.
        models: Model names, for files that do not contain one: a name, or a list of one or of one per file.
        metric: Which scorer or metric to read, where a log has several.
        qrels: The judgments of rankings, as TREC or BEIR has them.
        mteb: The task of MTEB's predictions, whose data hold the right answers: its name, or
            ``"MODULE:NAME"`` of a task of your own.
        measure: The measure of rankings by query, such as ``nDCG@10``, or of codesearch runs.
        complete: Whether a judged query that is not ranked scores 0, as under ``trec_eval -c``.
        limits: Lowest and highest possible score; by default what the files record, else (0, 1).
        replicates: Whether files that hold the same model on the same items repeat each other.
        lower_is_better: Whether less is better, as of errors; scores are negated, and ``limits`` with them.
    """

    model: str
    item: str
    score: str
    columns: Mapping[str, str]
    wide: str
    right: str
    missing: float | str
    models: str | Sequence[str]
    metric: str
    qrels: str | Path
    mteb: str
    measure: str
    complete: bool
    limits: tuple[float, float]
    replicates: bool
    lower_is_better: bool


def _check(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse an argument that a function does not have or that is of another type; None is not given.

    Raises:
        UsageError: One does not fit.
    """
    types = get_type_hints(ReadingOptions) | get_type_hints(function)
    for name, value in given.items():
        if name not in types:
            parameters = signature(function).parameters.items()
            keywords = {key for key, parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
            options = keywords | ReadingOptions.__annotations__.keys()
            raise UsageError(f"there is no option {name!r}", next_step=near_match(name, options))
        if value is None:
            continue
        kind = types[name]
        try:
            TypeAdapter(kind).validate_python(value, strict=True)
        except ValidationError:
            expected = kind.__name__ if isinstance(kind, type) else str(kind)
            raise UsageError(f"{name} is {quoted(value)}, expected {expected}") from None


@dataclass(frozen=True, repr=False)
class AuditResult(Result):
    """What an evaluation can separate, and if not, why, and what is the cheapest fix.

    Attributes:
        findings: Every figure, typed.
        table: The scores.
        notes: What reading them made necessary; sentences.
    """

    findings: Findings
    table: ScoreTable
    notes: tuple[str, ...] = ()

    @property
    def record(self) -> Findings:
        """Everything, as ``tellapart audit --json`` prints it."""
        return self.findings

    @property
    def verdict(self) -> str:
        """Which models are separated, and why not the others, in a sentence or two."""
        return f"{sentences.headline(self.findings)}."

    @property
    def metrics(self) -> dict[str, float]:
        """The figures as ``--metrics-json`` writes them; those that are undefined are left out."""
        return tracked_audit(self.findings).numbers

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The pairs of models: the columns of `pair_frame`, then ``why`` and ``fix``, the cheapest."""
        pairs = self.findings.pairs
        return pair_frame(
            pairs,
            why=["" if pair.is_separated else sentences.why(pair) for pair in pairs],
            fix=["" if pair.is_separated else sentences.cheapest(pair) for pair in pairs],
        )

    @property
    def items(self) -> pl.DataFrame:
        """One row per item: ``difficulty`` (its mean score), ``discrimination``, ``flag`` and more."""
        return self.findings.item_table

    @cached_property
    def strata(self) -> pl.DataFrame:
        """What each kind of items separates: a row per column, value and pair of models.

        ``items`` is how many items there are, ``mean_a`` and ``mean_b`` are the models' means on them, and
        ``items_needed`` is how many items of this kind would separate the two, or null.
        """
        return pl.DataFrame(
            [
                {
                    "column": column,
                    "value": value,
                    "items": kind.items,
                    "a": pair.a,
                    "b": pair.b,
                    "mean_a": kind.means.get(pair.a),
                    "mean_b": kind.means.get(pair.b),
                    "items_needed": kind.items_needed.get(key),
                }
                for column, kinds in self.findings.by_stratum.items()
                for value, kind in kinds.items()
                for key, pair in keyed(self.findings)
            ],
            schema={
                "column": pl.String,
                "value": pl.String,
                "items": pl.Int64,
                "a": pl.String,
                "b": pl.String,
                "mean_a": pl.Float64,
                "mean_b": pl.Float64,
                "items_needed": pl.Int64,
            },
        )

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """One row per model, best first: mean with its interval, rank with its interval, scores missing."""
        missing = self.findings.missing
        return pl.DataFrame(
            [
                {
                    "model": ranked.model,
                    "n": ranked.n,
                    "mean": ranked.mean,
                    "low": ranked.ci[0] if ranked.ci else None,
                    "high": ranked.ci[1] if ranked.ci else None,
                    "rank": ranked.rank,
                    "best_rank": ranked.rank_ci[0] if ranked.rank_ci else None,
                    "worst_rank": ranked.rank_ci[1] if ranked.rank_ci else None,
                    "missing": sum(missing.get(ranked.model, {}).values()),
                }
                for ranked in self.findings.ranking
            ],
            schema={
                "model": pl.String,
                "n": pl.Int64,
                "mean": pl.Float64,
                "low": pl.Float64,
                "high": pl.Float64,
                "rank": pl.Int64,
                "best_rank": pl.Int64,
                "worst_rank": pl.Int64,
                "missing": pl.Int64,
            },
        )

    def document(self) -> Document:
        """Arrange the page."""
        return sections.document(self.findings)

    def _summary(self) -> Sequence[RenderableType]:
        first = [f"! {text}" for text in sentences.to_know_first(self.findings)]
        fix = sentences.advice(self.findings)
        notes = [f"note: {note}" for note in self.notes]
        pairs = block.pair_table(self.findings.compared, sentences.scale(self.findings))
        return [Text("\n".join([self.verdict, *fix, *first, *notes])), fitted_table(pairs)]


@dataclass(frozen=True, repr=False)
class CompareResult(Result):
    """Candidates held against a baseline.

    Attributes:
        compared: Everything that was decided.
        table: The scores of all sources.
    """

    compared: ModelComparison
    table: ScoreTable

    @property
    def record(self) -> CompareRecord:
        """Everything, as ``tellapart compare --json`` prints it."""
        return self.compared.record

    @property
    def verdict(self) -> str:
        """The first line of the command: how the gate ended, or without one who is better."""
        return compare_page.lines(self.compared)[0]

    @property
    def passed(self) -> bool | None:
        """Whether every candidate passed, with ``on_unclear`` applied; None where unclear."""
        outcome = self.compared.outcome
        return None if outcome is None else {"passed": True, "failed": False}.get(outcome)

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the scores made necessary; sentences."""
        return self.record.notes

    @property
    def metrics(self) -> dict[str, float]:
        """The figures as ``--metrics-json`` writes them; those that are undefined are left out."""
        return tracked_comparison(self.record).numbers

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The pairs of the baseline and each candidate: the columns of `pair_frame`."""
        return pair_frame(self.record.comparison.primary.pairs)

    @cached_property
    def strata(self) -> pl.DataFrame:
        """The pairs in each value of the secondary column: ``stratum``, then the columns of `pair_frame`."""
        secondary = self.record.comparison.secondary
        return pair_frame(() if secondary is None else secondary.pairs)

    @cached_property
    def items(self) -> pl.DataFrame:
        """One row per item: ``item``, then each model's mean score on it; null where it has none."""
        models = self.record.models
        scores = self.table.frame.filter(pl.col("model").is_in(models))
        by_model = scores.pivot(on="model", index="item", values="score", aggregate_function="mean")
        return by_model.select("item", *models).sort("item")

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """One row per model, the highest mean first: ``model``, ``mean`` and ``missing``, a count."""
        record = self.record
        means = {
            "model": list(record.models),
            "mean": [record.means[model] for model in record.models],
            "missing": [sum(record.missing.get(model, {}).values()) for model in record.models],
        }
        schema = {"model": pl.String, "mean": pl.Float64, "missing": pl.Int64}
        return pl.DataFrame(means, schema=schema).sort(
            "mean", "model", descending=[True, False], nulls_last=True
        )

    @cached_property
    def flips(self) -> pl.DataFrame:
        """Items on which a candidate and the baseline differ, with both scores, the most decisive first."""
        flips = self.record.flips
        return pl.DataFrame(
            {
                "candidate": [flip.candidate for flip in flips],
                "item": [flip.item for flip in flips],
                "baseline": [flip.a for flip in flips],
                "score": [flip.b for flip in flips],
            },
            schema={
                "candidate": pl.String,
                "item": pl.String,
                "baseline": pl.Float64,
                "score": pl.Float64,
            },
        )

    def document(self) -> Document:
        """Arrange the page."""
        return compare_page.document(self.compared)

    def _summary(self) -> Sequence[RenderableType]:
        first = [f"! {text}" for text in compare_page.warnings(self.record)]
        notes = [f"note: {note}" for note in self.notes]
        lines = [*compare_page.lines(self.compared), *first, *notes]
        pairs = block.pair_table(self.compared.comparison, compare_page.scale(self.record))
        return [Text("\n".join(lines)), fitted_table(pairs)]


def read_scores(scores: Any, **reading: Unpack[ReadingOptions]) -> Reading:
    """Read scores from anywhere.

    Args:
        scores: A path, a pattern such as ``"logs/*.eval"``, a folder, a list of these; a frame of polars,
            pandas or Arrow; ``{model: {item: score}}``, where None is a missing score; or an open run.
        reading: See `ReadingOptions`.

    Returns:
        ``table``, a checked `ScoreTable`, and ``notes``, what reading made necessary.

    Raises:
        InputError: They cannot be read as scores.
        UsageError: An option does not fit, or it is something else.
    """
    _check(read_scores, reading)
    if isinstance(scores, Reading | ScoreTable) and reading:
        raise UsageError(
            f"these scores are read already, so {', '.join(reading)} cannot be applied",
            next_step="Give it where they are read",
        )
    if isinstance(scores, Reading):
        return scores
    if isinstance(scores, ScoreTable):
        return Reading(scores, {}, sources={"scores": tuple(scores.models)})
    return _read(_sources(scores, "scores"), reading)


def audit(
    scores: Any,
    *,
    by: str | None = None,
    baseline: str | None = None,
    primary: str | tuple[str, str] | None = None,
    sesoi: float = SESOI,
    seed: int = SEED,
    **reading: Unpack[ReadingOptions],
) -> AuditResult:
    """Say which models an evaluation separates, and if not, why, and what is the cheapest fix.

    Args:
        scores: See `read_scores`.
        by: The stratum to look into; all by default.
        baseline: Compare every other model with this one, and no other pair.
        primary: ``"COLUMN=VALUE"``, the items that the verdict is about.
        sesoi: The smallest difference that matters, in score units.
        seed: For resampling.
        reading: See `ReadingOptions`.

    Raises:
        InputError: The scores cannot be read or audited.
        UsageError: An option does not fit.
    """
    comparing = {"by": by, "baseline": baseline, "primary": primary, "sesoi": sesoi, "seed": seed}
    _check(audit, {**comparing, **reading})
    settings = AuditOptions(by=by, baseline=baseline, primary=_primary(primary), sesoi=sesoi, seed=seed)
    read = read_scores(scores, **reading)
    return AuditResult(audit_reading(read, settings), read.table, read.notes)


def compare(
    baseline_scores: Any,
    *candidate_scores: Any,
    max_drop: float | None = None,
    on_unclear: Literal["warn", "fail", "pass"] = "warn",
    baseline: str | None = None,
    candidates: str | Sequence[str] = (),
    by: str | None = None,
    primary: str | tuple[str, str] | None = None,
    sesoi: float = SESOI,
    seed: int = SEED,
    **reading: Unpack[ReadingOptions],
) -> CompareResult:
    """Say whether candidates are worse than a baseline, by how much, and on which items.

    Args:
        baseline_scores: The baseline's scores, as `read_scores` takes them; or those of all models.
        candidate_scores: The candidates' scores, one argument each; none where the first holds all models.
        max_drop: A gate: the largest drop that is allowed, in score units; 0.02 is 2 points of a rate.
        on_unclear: What an unclear gate counts as: ``warn``, ``fail`` or ``pass``.
        baseline: The baseline's name, where its scores hold several models.
        candidates: The candidates' names, where not all are meant.
        by: The stratum to look into; the first by default.
        primary: ``"COLUMN=VALUE"``, the items that the verdict and the gate are about.
        sesoi: The smallest difference that matters, in score units.
        seed: For resampling.
        reading: See `ReadingOptions`.

    Raises:
        InputError: The scores cannot be read or compared.
        UsageError: An option does not fit.
    """
    comparing = {"by": by, "baseline": baseline, "primary": primary, "sesoi": sesoi, "seed": seed}
    gate = {"candidates": candidates, "max_drop": max_drop, "on_unclear": on_unclear}
    _check(compare, {**comparing, **gate, **reading})
    candidates = [candidates] if isinstance(candidates, str) else candidates
    settings = ComparisonSettings(by=by, baseline=baseline, primary=_primary(primary), sesoi=sesoi, seed=seed)
    options = GateOptions(max_drop, OnUnclear(on_unclear))
    if candidate_scores:
        sides = (baseline_scores, *candidate_scores)
        names = ["baseline", *(f"candidate {i}" for i in range(1, len(sides)))]
        sources = [_side(x, name) for x, name in zip(sides, names, strict=True)]
        read = _read(sources, reading, apart=True)
    else:
        read = read_scores(baseline_scores, **reading)
    return CompareResult(compare_reading(read, settings, options, candidates=candidates), read.table)


def open_run(path: str | Path) -> RunDirectory:
    """Open a complete run directory: its record, its scores and its files.

    Raises:
        InputError: It is not there, not complete, or its record cannot be read.
        UsageError: It is not a path.
    """
    _check(open_run, {"path": path})
    return RunDirectory.open(Path(path))


def _side(scores: Any, name: str) -> Source:
    parts = _sources(scores, name)
    return parts[0] if len(parts) == 1 else Together(name, tuple(parts))


def _read(sources: Sequence[Source], reading: ReadingOptions, *, apart: bool = False) -> Reading:
    models = reading.get("models") or ()
    columns: dict[str, str] = {
        ours: str(theirs) for ours in _COLUMNS if (theirs := reading.get(ours)) is not None
    }
    columns |= reading.get("columns") or {}
    qrels, wide, missing = reading.get("qrels"), reading.get("wide"), reading.get("missing")
    limits = reading.get("limits")
    if limits is not None and not limits[0] < limits[1]:
        raise UsageError(f"limits are {limits}, expected the lowest and then the highest possible score")
    spelt_otherwise = {
        "columns": columns or None,
        "wide": None if wide is None else parse_wide(wide),
        "missing": None if missing is None else parse_missing(str(missing)),
        "qrels": None if qrels is None else Path(qrels),
        "models": (models,) if isinstance(models, str) else tuple(models),
    }
    given: dict[str, Any] = {name: value for name, value in reading.items() if value is not None}
    same = {name: value for name, value in given.items() if name not in _COLUMNS}
    return read_sources(sources, ReadingSettings(**same | spelt_otherwise), apart=apart)


def _sources(scores: Any, name: str) -> list[Path | NamedFrame]:
    """What to read: paths, with patterns written out, and frames."""
    if isinstance(scores, RunDirectory):
        return [scores.path]
    if isinstance(scores, Path):
        return [scores]
    if isinstance(scores, Reading):
        return [NamedFrame(name, scores.table.frame)]
    if isinstance(scores, str):
        if not scores:
            raise UsageError("the path of the scores is empty", next_step="Was a variable not set?")
        return list(matching_paths([Path(scores)]))
    if isinstance(scores, Mapping):
        return [NamedFrame(name, _frame_of_mapping(scores))]
    frame = _as_polars(scores)
    if frame is not None:
        return [NamedFrame(name, frame)]
    if isinstance(scores, Iterable):
        parts = list(scores)
        if not parts:
            raise UsageError("there are no scores: the list is empty", next_step=f"Give {_SCORES}")
        return [
            source
            for i, part in enumerate(parts, start=1)
            for source in _sources(part, name if len(parts) == 1 else f"{name} {i}")
        ]
    raise UsageError(f"scores are {type(scores).__name__!r}, expected {_SCORES}")


def _as_polars(frame: Any) -> pl.DataFrame | None:
    """A frame of another library as one of Polars; None for what is no frame."""
    if isinstance(frame, ScoreTable):
        return frame.frame
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _of_pandas(frame)
    return pl.DataFrame(frame) if hasattr(frame, "__arrow_c_stream__") else None


def _of_pandas(frame: Any) -> pl.DataFrame:
    """A pandas frame with its index, where that names the items; gaps of every kind are null.

    By lists, since the exchange with Arrow takes a further package.
    """
    if not hasattr(frame, "columns"):
        raise UsageError(
            f"scores are a pandas {type(frame).__name__}, expected a DataFrame",
            next_step="Give it as columns, with reset_index()",
        )
    index = frame.index
    if any(name is not None for name in index.names):
        frame = frame.reset_index()
    elif "item" not in frame.columns and _index_names_items(frame):
        labels = [" ".join(map(str, label)) if isinstance(label, tuple) else label for label in index]
        frame = frame.set_axis(labels).rename_axis("item").reset_index()
    else:
        frame = frame.reset_index(drop=True)
    names = [
        " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
        for name in frame.columns
    ]
    again = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if again is not None:
        raise UsageError(f"there are two columns {again!r}", next_step="Rename one, or leave it out")
    return pl.DataFrame([_of_series(frame.iloc[:, i], name) for i, name in enumerate(names)])


def _index_names_items(frame: Any) -> bool:
    """Whether an index without a name says which item a row is: one of text, or where no column can.

    Numbers are most often those of rows, which filtering, sorting and joining frames leave in any order.
    """
    if all(isinstance(label, str) for label in frame.index):
        return True
    texts = [str(name) for name in frame.columns if frame[name].map(lambda cell: isinstance(cell, str)).any()]
    others = set(texts) - set(likely_columns("model", texts))
    return not others and not likely_columns("item", list(map(str, frame.columns)))


def _of_series(values: Any, name: str) -> pl.Series:
    plain = [None if gap else value for value, gap in zip(values.tolist(), values.isna(), strict=True)]
    kinds = {type(value) for value in plain if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float, bool}:
        plain = [None if value is None else str(value) for value in plain]
    return pl.Series(name, plain, strict=False)


def _frame_of_mapping(scores: Mapping[Any, Any]) -> pl.DataFrame:
    rows: list[tuple[str, str, Any]] = []
    for model, of_model in scores.items():
        if not isinstance(of_model, Mapping):
            raise UsageError(
                f"the scores of {model!r} are {type(of_model).__name__!r}, expected {{item: score}}",
                next_step="Give {model: {item: score}}, so that the same items can be paired",
            )
        rows += [(str(model), str(item), score) for item, score in of_model.items()]
    values = [score for _, _, score in rows]
    odd = [score for score in values if not (score is None or isinstance(score, str | int | float))]
    if odd:
        raise UsageError(f"a score is {odd[0]!r}, expected a number, or None for a missing one")
    if any(isinstance(score, str) for score in values):
        values = [None if score is None else str(score) for score in values]
    return pl.DataFrame(
        {"model": [row[0] for row in rows], "item": [row[1] for row in rows]},
        schema={"model": pl.String, "item": pl.String},
    ).with_columns(pl.Series("score", values, strict=False) if rows else pl.lit(None).alias("score"))


def _primary(primary: str | tuple[str, str] | None) -> tuple[str, str] | None:
    return parse_primary(primary) if isinstance(primary, str) else primary
