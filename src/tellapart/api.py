"""The front door in Python: audit, compare, read scores, open a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack, cast, get_args, get_type_hints

import polars as pl
from pydantic import TypeAdapter, ValidationError

from tellapart.audit.analysis import audit_reading
from tellapart.audit.options import AuditOptions
from tellapart.audit.page import sections, sentences
from tellapart.audit.results import Findings, Pair
from tellapart.compare import page as compare_page
from tellapart.compare.page import NO_TEXTS
from tellapart.compare.results import CompareRecord
from tellapart.compare.run import compare_reading
from tellapart.core.comparison import ComparisonSettings, GateOutcome, parse_primary
from tellapart.core.comparison.pairs import pair_frame, pair_key
from tellapart.core.scores import ScoreTable
from tellapart.core.seed import SEED
from tellapart.errors import UsageError, called_from_python, quoted
from tellapart.leaderboard import page as leaderboard_page
from tellapart.leaderboard.analysis import LeaderboardAudit, audit_leaderboard
from tellapart.leaderboard.reading import read_leaderboard
from tellapart.readers import ItemTexts, Reading, ReadingSettings, Source, Together, item_texts
from tellapart.readers import read_scores as read_sources
from tellapart.readers.in_memory import as_polars, side, sources
from tellapart.readers.settings import parse_missing
from tellapart.report.comparison import sentence
from tellapart.report.document import Document
from tellapart.report.result import Result
from tellapart.stopping.run import Asking, check_asked, first_items, pool_of, read_pool
from tellapart.store import RunDirectory

F = TypeVar("F", bound=Callable[..., Any])
S = TypeVar("S")

Names = tuple[str, ...] | list[str] | str


def _cheapest(pair: Pair) -> str:
    return "" if pair.is_separated or not pair.fix else sentence(pair.fix[0].text)


class ReadingOptions(TypedDict, total=False):
    """Those of `tellapart.readers.settings.ReadingSettings`; ``item`` and ``score`` are short for columns."""

    item: str | None
    score: str | None
    columns: Mapping[str, str] | None
    models: Names
    right: str | None
    missing: str | float | None
    metric: str | None
    qrels: Path | str | None
    trec_eval: bool
    model: Names
    limits: tuple[float, float] | None
    replicates: bool
    lower_is_better: bool | None
    human: Path | str | None
    strict: bool


class ComparisonOptions(ReadingOptions, total=False):
    """The same, and those of `tellapart.core.comparison.ComparisonSettings`."""

    by: str | None
    baseline: str | None
    primary: tuple[str, str] | str | None
    primary_declared: bool
    sesoi: float | None
    alpha: float
    power: float
    plan: int | None
    seed: int


_SHORT = """\
    item: Short for ``columns={"item": …}``.
    score: Short for ``columns={"score": …}``.
"""


def _front_door(function: F) -> F:
    """Have messages speak the words of Python; show and describe the options that are settings."""
    plain = signature(function, eval_str=True)
    arguments, described = [], ""
    for argument in plain.parameters.values():
        if argument.kind is not Parameter.VAR_KEYWORD:
            arguments.append(argument)
            continue
        types = get_type_hints(get_args(argument.annotation)[0])
        models = [one for one in _SETTINGS if types.keys() >= {field.name for field in fields(one)}]
        defaults = {field.name: field.default for model in models for field in fields(model)}
        for name, kind in types.items():
            default = defaults.get(name)
            arguments.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))
        described = _SHORT + "\n".join(
            (getdoc(model) or "").partition("Attributes:\n")[2] for model in models
        )
    whole = plain.replace(parameters=arguments)

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            whole.bind(*args, **options)
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}") from None
        with called_from_python():
            return function(*args, **options)

    doc = getdoc(function) or ""
    called.__doc__ = re.sub(
        r"Args:\n(    .*\n)+", lambda args: args[0] + described + "\n" * bool(described), doc
    )
    called.__signature__ = whole  # type: ignore[attr-defined]
    return cast(F, called)


_SETTINGS: tuple[Any, ...] = (ComparisonSettings, ReadingSettings)


def _settings(model: type[S], arguments: Mapping[str, Any]) -> S:
    """The settings that arguments of the same names give; None stands for the default."""
    given = {f.name: arguments[f.name] for f in fields(model) if arguments.get(f.name) is not None}  # type: ignore[arg-type]
    short = {role: arguments[role] for role in ("item", "score") if arguments.get(role)}
    if short and model is ReadingSettings:
        given["columns"] = short | dict(given.get("columns", {}))
    given |= {name: _names(given[name]) for name in ("models", "model") if name in given}
    if "missing" in given:
        given["missing"] = parse_missing(str(given["missing"]))
    if isinstance(given.get("primary"), str):
        given["primary"] = parse_primary(given["primary"])
    try:
        return TypeAdapter(model).validate_python(given)
    except ValidationError as error:
        fault = error.errors()[0]
        name = fault["loc"][0]
        raise UsageError(f"{name} is {quoted(given[str(name)])}: {fault['msg']}") from None


def _names(given: Any) -> Any:
    return (given,) if isinstance(given, str) else given


def _frame(rows: Sequence[tuple[Any, ...]], **types: type) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=types, orient="row")


@dataclass(frozen=True, repr=False)
class AuditResult(Result):
    """What an evaluation can separate, and if not, why, and what is the cheapest fix.

    Attributes:
        findings: Every figure, typed.
        table: The scores.
        notes: What reading them made necessary; sentences.
        texts: What items ask and what was answered, where files have it.
    """

    findings: Findings
    table: ScoreTable
    notes: tuple[str, ...]
    texts: ItemTexts

    @property
    def verdict(self) -> str:
        """Which models are separated, and why not the others, in a sentence or two."""
        return f"{sentences.headline(self.findings)}."

    @property
    def metrics(self) -> dict[str, float]:
        """The figures as ``--metrics-json`` writes them; those that are undefined are left out."""
        return self.findings.tracked.numbers

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """One row per pair: ``a``, ``b``, ``verdict``, ``better`` and ``worse``, and how far they are apart.

        ``difference`` is a - b, from ``low`` to ``high``; then come ``p``, ``p_adjusted``, ``items_needed``,
        ``n``, ``clusters``, ``test``, ``reason`` (why a figure or a verdict is lacking), ``why`` the two are
        not separated, and the cheapest ``fix``. What is undefined is null.
        """
        pairs = self.findings.pairs
        return pair_frame(
            pairs,
            why=["" if pair.is_separated else sentences.why(pair) for pair in pairs],
            fix=list(map(_cheapest, pairs)),
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
        rows = [
            (column, value, kind.items, pair.a, pair.b)
            + (kind.means.get(pair.a), kind.means.get(pair.b))
            + (kind.items_needed[pair_key(pair.a, pair.b)].value,)
            for column, of_column in self.findings.by_stratum.items()
            for value, kind in of_column.items()
            for pair in self.findings.pairs
        ]
        means = {"mean_a": float, "mean_b": float}
        return _frame(rows, column=str, value=str, items=int, a=str, b=str, **means, items_needed=int)

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """One row per model, best first: mean with its interval, rank with its interval, scores missing."""
        missing = self.findings.missing
        rows = [
            (m.model, m.n, m.mean, *(m.ci or (None, None)), m.rank, *(m.rank_ci or (None, None)))
            + (sum(missing.get(m.model, {}).values()),)
            for m in self.findings.ranking
        ]
        ends = {"mean": float, "low": float, "high": float}
        return _frame(rows, model=str, n=int, **ends, rank=int, best_rank=int, worst_rank=int, missing=int)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        return self.findings.model_dump(mode="json")

    def document(self) -> Document:
        """Arrange the page."""
        return sections.document(self.findings, texts=self.texts)


@dataclass(frozen=True, repr=False)
class CompareResult(Result):
    """Candidates held against a baseline.

    Attributes:
        record: Everything, as ``tellapart compare --json`` prints it.
        table: The scores of all sources.
        texts: What items ask and what was answered, where files have it.
    """

    record: CompareRecord
    table: ScoreTable
    texts: ItemTexts

    @property
    def verdict(self) -> str:
        """The first line of the command: how the gate ended, or without one who is better."""
        return compare_page.lines(self.record)[0]

    @property
    def outcome(self) -> GateOutcome | None:
        """Of all gates together; None without a limit."""
        return self.record.outcome

    @property
    def passed(self) -> bool | None:
        """Whether every candidate passed; None where unclear, and without a limit."""
        return {"passed": True, "unchanged": True, "failed": False}.get(self.outcome or "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading the scores made necessary; sentences."""
        return self.record.notes

    @property
    def metrics(self) -> dict[str, float]:
        """The figures as ``--metrics-json`` writes them; those that are undefined are left out."""
        return self.record.tracked.numbers

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The pairs of the baseline and each candidate: as those of an audit, without ``why`` and ``fix``."""
        return pair_frame(self.record.comparison.primary.pairs)

    @cached_property
    def strata(self) -> pl.DataFrame:
        """The pairs in each value of the secondary column: ``stratum``, then the columns of ``pairs``."""
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
        missing = {model: sum(causes.values()) for model, causes in self.record.missing.items()}
        rows = [(model, mean, missing.get(model, 0)) for model, mean in self.record.means.items()]
        frame = _frame(rows, model=str, mean=float, missing=int)
        return frame.sort("mean", "model", descending=[True, False], nulls_last=True)

    @cached_property
    def flips(self) -> pl.DataFrame:
        """Items on which a candidate and the baseline differ, with both scores, the most decisive first."""
        rows = [(flip.candidate, flip.item, flip.a, flip.b) for flip in self.record.flips]
        return _frame(rows, candidate=str, item=str, baseline=float, score=float)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        return self.record.model_dump(mode="json")

    def document(self) -> Document:
        """Arrange the page."""
        return compare_page.document(self.record, "the result's flips", self.texts)


@dataclass(frozen=True, repr=False)
class LeaderboardResult(Result):
    """What a leaderboard separates over its tasks.

    Attributes:
        audit: Every figure, typed.
    """

    audit: LeaderboardAudit

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out; sentences."""
        return self.audit.notes

    @property
    def verdict(self) -> str:
        """How many neighbours are separated, in a sentence."""
        return leaderboard_page.lines(self.audit)[0]

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The neighbours from the top down: ``upper``, ``lower``, ``difference``, ``separated`` and more."""
        return pl.DataFrame([pair.model_dump() for pair in self.audit.neighbours])

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """One row per model, best first: its rank with its interval, its mean and its tie group."""
        names = {"model", "rank", "rank_interval", "mean", "tie_group"}
        return pl.DataFrame([model.model_dump(include=names) for model in self.audit.models])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as the command prints it with ``--json``."""
        return self.audit.model_dump(mode="json")

    def document(self) -> Document:
        """Arrange the page."""
        return leaderboard_page.document(self.audit)


@_front_door
def read_scores(scores: Any, **options: Unpack[ReadingOptions]) -> Reading:
    """Read scores from anywhere.

    Args:
        scores: A path, a pattern such as ``"logs/*.eval"``, a folder, a list of these; a frame of polars,
            pandas or Arrow; a list of records; ``{model: {item: score}}``, where None is a missing score, or
            ``{column: values}``; or an open run.

    Returns:
        ``table``, a checked `ScoreTable`, and ``notes``, what reading made necessary.

    Raises:
        InputError: They cannot be read as scores.
        UsageError: An option does not fit, or it is something else.
    """
    return _read(scores, _settings(ReadingSettings, options))[0]


@_front_door
def audit(
    scores: Any,
    *,
    price_item: float | None = None,
    price_label: float | None = None,
    **options: Unpack[ComparisonOptions],
) -> AuditResult:
    """Say which models an evaluation separates, and if not, why, and what is the cheapest fix.

    Args:
        scores: See `read_scores`.
        price_item: With labels, the price of an item, for all models and the judge.
        price_label: With labels, the price of labelling an item.

    Raises:
        InputError: The scores cannot be read or audited.
        UsageError: An option does not fit.
    """
    read, texts = _read(scores, _settings(ReadingSettings, options))
    prices = {"price_item": price_item, "price_label": price_label}
    findings = audit_reading(read, _settings(AuditOptions, options | prices))
    return AuditResult(findings, read.table, read.notes, texts)


@_front_door
def compare(
    baseline_scores: Any,
    *candidate_scores: Any,
    max_drop: float | None = None,
    pass_k: int | None = None,
    candidates: Names = (),
    **options: Unpack[ComparisonOptions],
) -> CompareResult:
    """Say whether candidates are worse than a baseline, by how much, and on which items.

    Args:
        baseline_scores: The baseline's scores, as `read_scores` takes them, or a list of numbers; or the
            scores of all models.
        candidate_scores: The candidates' scores, one argument each; none where the first holds all models.
        max_drop: A gate: the largest drop that is allowed, in score units; 0.02 is 2 points of a rate.
        pass_k: Score items by the chance that so many answers are all right, from as many replicates or more.
        candidates: The candidates' names, where not all are meant.

    Raises:
        InputError: The scores cannot be read or compared.
        UsageError: An option does not fit.
    """
    reading = _settings(ReadingSettings, options)
    if candidate_scores:
        sides = (baseline_scores, *candidate_scores)
        names = ["baseline", *(f"candidate {i}" for i in range(1, len(sides)))]
        given = list(map(_side, sides, names))
        read = read_sources(given, reading, apart=True)
        texts = item_texts(given, reading, read.models)
    else:
        read, texts = _read(baseline_scores, reading)
    settings = _settings(ComparisonSettings, options)
    record = compare_reading(read, settings, max_drop=max_drop, candidates=_names(candidates), pass_k=pass_k)
    return CompareResult(record, read.table, texts)


@_front_door
def leaderboard(
    results: Any,
    *,
    tasks: Names = (),
    benchmark: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> LeaderboardResult:
    """Say which models of a leaderboard are separated over its tasks, with rank intervals and tie groups.

    Args:
        results: See `tellapart.leaderboard.reading.read_leaderboard`: a path, or a list of paths, of results
            of MTEB, Every Eval Ever, HELM or SWE-bench or a table with a row for each model; a frame; or
            ``{model: {task: score}}``.
        tasks: Those that stay; all that every model has by default.
        benchmark: Of MTEB, whose definition chooses tasks, splits and subsets; or a board of SWE-bench.
        columns: ``{"model": name}``, where it is not clear which column names the models.

    Raises:
        InputError: No form is known, or something could be read in two ways.
    """
    board = read_leaderboard(results, tasks=_names(tasks), benchmark=benchmark, columns=columns)
    return LeaderboardResult(audit_leaderboard(board))


@_front_door
def next_items(
    scores: Any,
    *,
    items: Any = None,
    max_items: int | None = None,
    batch: int | None = None,
    by: str | None = None,
    baseline: str | None = None,
    sesoi: float | None = None,
    seed: int = SEED,
    **options: Unpack[ReadingOptions],
) -> Asking:
    """Say which items to ask next, or that enough were asked; false claims stay at 5 % however often.

    Args:
        scores: Scores so far, in the order in which the items were asked, which must be random; see
            `read_scores`. None to begin.
        items: The items there are: ids, a table with a column ``item`` and one of kinds, or its path.
        max_items: The most items you would ask, fixed before the first answer; by default as many as settle a
            difference of ``sesoi``.
        batch: Items between looks; by default a twentieth.
        by: The column of ``items`` over which new items are spread evenly.
        baseline: Compare every other model with this one, and no other pair.
        sesoi: The smallest difference that matters, in score units; 2 % of their range by default.
        seed: For the order of items.

    Returns:
        ``stop``, ``reason`` (a sentence or two) and ``next_items``, ids in the order in which to ask them.

    Raises:
        InputError: The scores or items cannot be read.
        UsageError: An option does not fit.
    """
    pool = None
    if isinstance(items, str | Path):
        pool = read_pool(Path(items), by)
    elif items is not None:
        frame = as_polars(items)
        pool = pool_of(pl.DataFrame({"item": list(map(str, items))}) if frame is None else frame, "items", by)
    if scores is None and pool is not None:
        return first_items(pool, max_items=max_items, batch=batch, seed=seed)
    read = read_sources(sources(scores, "scores"), _settings(ReadingSettings, options), ordered=True)
    settings = _settings(ComparisonSettings, {"baseline": baseline, "sesoi": sesoi, "seed": seed})
    return check_asked(read, settings, pool, max_items=max_items, batch=batch)


@_front_door
def open_run(path: str | Path) -> RunDirectory:
    """Open a complete run directory: its record, its scores and its files.

    Raises:
        InputError: It is not there, not complete, or its record cannot be read.
        UsageError: It is not a path.
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"path is {quoted(path)}, expected a path")
    return RunDirectory.open(Path(path))


def _read(scores: Any, reading: ReadingSettings) -> tuple[Reading, ItemTexts]:
    if not isinstance(scores, Reading | ScoreTable):
        given = sources(scores, "scores")
        read = read_sources(given, reading)
        return read, item_texts(given, reading, read.models)
    chosen = [f.name for f in fields(reading) if getattr(reading, f.name) != f.default]
    if chosen:
        raise UsageError(
            f"these scores are read already, so {', '.join(chosen)} cannot be applied",
            next_step="Give it where they are read",
        )
    if isinstance(scores, ScoreTable):
        scores = Reading(scores, {}, sources={"scores": tuple(scores.models)})
    return scores, NO_TEXTS


def _side(scores: Any, name: str) -> Source:
    parts = side(scores, name)
    return parts[0] if len(parts) == 1 else Together(name, tuple(parts))
