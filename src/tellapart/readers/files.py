"""Which form a file has, and several files as one table."""

from __future__ import annotations

import shutil
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED, ScoreTable, standard_columns
from tellapart.errors import InputError, UsageError, option, placed
from tellapart.files.databases import holds_tables
from tellapart.files.temporaries import scratch_directory
from tellapart.readers import table as plain_table
from tellapart.readers.folders import files_of
from tellapart.readers.forms import reader_of, readers
from tellapart.readers.rankings import fill_unranked
from tellapart.readers.reader import (
    LessIsBetter,
    LogScores,
    NamedFrame,
    NoItemScores,
    Reader,
    Source,
    Together,
    check_same_basis,
    check_stamps,
    check_used,
)
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.stand_ins import without_stand_ins
from tellapart.report.numbers import listed
from tellapart.store import RunDirectory, path_names
from tellapart.store.growing import partial_path

Limits = tuple[float, float]

_STDIN = Path("-")
_NAMED = 3
_ANSWER = ("item", "replicate", "grading")
_USUAL: tuple[Limits, ...] = ((-1, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))


@dataclass(frozen=True)
class Reading:
    """Scores as they were read.

    Attributes:
        forms: The form of each file, by its path as it was given.
        notes: What the forms made necessary, such as which metric was taken; sentences.
        sources: By each given path, the models of the table whose scores came from it, ascending; a model
            whose items are spread over several paths stands under each.
        models: The same by each file, which a path may lead to several of.
        order: The items in the order in which they were asked, if that was to be read: first those that all
            models were asked, by the row of the model that came to it last; then the others likewise.
    """

    table: ScoreTable
    forms: dict[str, str]
    notes: tuple[str, ...] = ()
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    models: dict[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The files, for errors that are about all scores together."""
        return listed(list(self.forms), most=_NAMED)


@dataclass(frozen=True, kw_only=True)
class _Part(LogScores):
    """The scores of one file, in standard columns; ``given`` is the path that led to it."""

    given: str
    name: str
    form: Reader


def read_scores(
    paths: Sequence[Source],
    settings: ReadingSettings | None = None,
    *,
    apart: bool = False,
    ordered: bool = False,
    where_needed: bool = False,
    progress: Progress = SILENT,
) -> Reading:
    """Read files as one table.

    A model that has scores on the same item in two files is two things to compare: it is called
    ``model (path)`` after the path that was given, unless the files repeat each other or number their answers
    in ``replicate``.
    """
    settings = settings or ReadingSettings()
    of_path = settings.of_paths(paths)
    names = [str(path) for path in paths]
    again = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if again:
        raise UsageError(f"the file {again!r} is given twice")
    read = [
        _parts(path, of_this, progress, where_needed=where_needed)
        for path, of_this in zip(paths, of_path, strict=True)
    ]
    parts = [part for of_one, _ in read for part in of_one]
    passed_over = [note for _, notes in read for note in notes]
    _check_once(parts)
    parts, continued = _with_retries(parts, apart=apart)
    if of_path and not where_needed:
        check_used(of_path[0], [(part.name, part.form) for part in parts], readers())
    differing = check_same_basis([(part.name, part.basis) for part in parts])
    cautions = check_stamps([(part.name, part.stamps) for part in parts], strict=settings.strict)
    frames, unranked = fill_unranked(
        [part.frame for part in parts], [part.unranked for part in parts], [part.name for part in parts]
    )
    parts = [replace(part, frame=frame) for part, frame in zip(parts, frames, strict=True)]
    parts, renamed = _tell_runs_apart(parts, replicates=settings.replicates, apart=apart)
    frame, shared = _joined(parts)
    starts = [0, *accumulate(part.frame.height for part in parts)]

    def row_location(row: int) -> str:
        part = bisect_right(starts, row) - 1
        return f"{parts[part].name}, row {(row - starts[part]) // parts[part].scores_per_row + 1}"

    stated = [part.limits for part in parts if part.limits]
    frame, stand_ins = without_stand_ins(frame, settings.missing, ask=not stated)
    limits = None if where_needed and (stated or not _is_outside(frame).any()) else settings.limits
    if limits is None and not stated:
        _check_usual(frame, row_location)
    score_notes = ScoreNotes.together(part.score_notes for part in parts)
    if cautions:
        score_notes = score_notes.model_copy(update={"cautions": (*score_notes.cautions, *cautions)})
    table = ScoreTable.from_frame(
        frame, limits=limits or _widest(stated), locate=row_location, notes=score_notes
    )
    less = [(part.name, part.less_is_better) for part in parts if part.less_is_better]
    direction = _direction(less, settings.lower_is_better)
    if settings.lower_is_better:
        table = _negated(table)
    notes = dict.fromkeys(
        [
            *direction,
            *passed_over,
            *continued,
            *(note for part in parts for note in part.notes),
            *unranked,
            *shared,
            *stand_ins,
            *differing,
            *renamed,
        ]
    )
    models = {part.name: tuple(sorted(part.frame["model"].unique())) for part in parts}
    sources = {
        name: tuple(sorted({model for part in parts if part.given == name for model in models[part.name]}))
        for name in dict.fromkeys(part.given for part in parts)
    }
    return Reading(
        table,
        {part.name: part.form.NAME for part in parts},
        tuple(notes),
        sources,
        models,
        _order(frame) if ordered else (),
    )


def _order(frame: pl.DataFrame) -> tuple[str, ...]:
    """The items of rows as they were read, see `Reading.order`."""
    first = frame.select("model", "item").unique(keep="first", maintain_order=True).with_row_index("row")
    items = first.group_by("item").agg(models=pl.len(), last=pl.col("row").max())
    return tuple(items.sort("models", "last", descending=[True, False])["item"].to_list())


def _parts(
    source: Source, settings: ReadingSettings, progress: Progress, *, where_needed: bool = False
) -> tuple[list[_Part], list[str]]:
    """Read all that a source stands for; notes on what was passed over."""
    if where_needed and settings != ReadingSettings():
        with suppress(InputError, UsageError):
            return _parts(source, ReadingSettings(), progress)
    given, members = str(source), source.parts if isinstance(source, Together) else (source,)
    parts: list[_Part] = []
    averages: list[NoItemScores] = []
    for member in members:
        if isinstance(member, NamedFrame):
            scores = plain_table.scores_of_frame(member.frame, settings, member.name)
            parts.append(_standard(given, member.name, plain_table, scores))
    paths = [member for member in members if isinstance(member, Path)]
    files = [file for path in paths for file in files_of(path, settings)]
    for file in counted(files, progress, f"reading {given}", unit="files"):
        try:
            parts.append(_part(file, settings, given))
        except NoItemScores as error:
            averages.append(error)
    if averages and not parts:
        raise averages[0]
    if not averages:
        return parts, []
    counts = Counter(error.content for error in averages)
    return parts, [
        f"{given}: {n} file{'s' * (n > 1)} of {content} {'is' if n == 1 else 'are'} passed over."
        for content, n in sorted(counts.items())
    ]


def _part(path: Path, settings: ReadingSettings, given: str) -> _Part:
    name = "standard input" if path == _STDIN else str(path)
    with _on_disk(path) as file:
        try:
            form = reader_of(file, settings)
            return _standard(given, name, form, form.read(file, settings))
        except (InputError, UsageError) as error:
            if file == path or error.where is None:
                raise
            where = error.where.replace(str(file), name)
            raise type(error)(error.what, where=where, next_step=error.next_step) from None


def _standard(given: str, name: str, form: Reader, scores: LogScores) -> _Part:
    with placed(name):
        frame = standard_columns(scores.frame, lambda row: f"{name}, row {row // scores.scores_per_row + 1}")
    if frame.is_empty():
        raise InputError("there are no scores in this file", where=name)
    return _Part(**{**vars(scores), "frame": frame}, given=given, name=name, form=form)


@contextmanager
def _on_disk(path: Path) -> Iterator[Path]:
    """Give a path that can be read more than once: pipes and standard input are copied."""
    try:
        if path != _STDIN and (path.is_dir() or path.is_file() or holds_tables(path)):
            if path.is_file():
                with path.open("rb") as file:
                    if not file.read(1):
                        raise InputError("this file is empty", where=path)
            yield path
            return
        if path != _STDIN and not path.exists():
            if partial_path(path).is_dir():
                RunDirectory.open(path)
            raise InputError("there is no such file or directory", where=path)
    except OSError as error:
        raise InputError(f"cannot read this file: {error.strerror}", where=path) from None
    with scratch_directory("tellapart-scores-") as directory:
        copy = directory / "scores"
        with copy.open("wb") as file:
            if path == _STDIN:
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, file)
        if not copy.stat().st_size:
            raise InputError("there is nothing to read", where="standard input" if path == _STDIN else path)
        yield copy


def _with_retries(parts: list[_Part], *, apart: bool) -> tuple[list[_Part], list[str]]:
    """Keep each answer once where files are attempts at one run, such as those of ``inspect eval-retry``."""
    attempts: dict[tuple[str, str], list[_Part]] = {}
    for part in parts:
        if part.retried:
            attempts.setdefault((part.given if apart else "", part.retried.run), []).append(part)
    kept, notes = {id(part): part for part in parts}, []
    for of_run in attempts.values():
        if len(of_run) == 1:
            continue
        latest_first = sorted(of_run, key=lambda part: part.retried.started if part.retried else "")[::-1]
        seen = latest_first[0].frame.select("model", *_ANSWER)
        for part in latest_first[1:]:
            frame = part.frame.join(seen, on=["model", *_ANSWER], how="anti")
            seen = pl.concat([seen, frame.select("model", *_ANSWER)])
            kept[id(part)] = replace(part, frame=frame)
        latest, *earlier = (Path(part.name).name for part in latest_first)
        notes.append(f"{latest} continues {', '.join(earlier)}; of each sample the latest attempt counts.")
    return [kept[id(part)] for part in parts if not kept[id(part)].frame.is_empty()], notes


def _tell_runs_apart(parts: list[_Part], *, replicates: bool, apart: bool) -> tuple[list[_Part], list[str]]:
    """Rename models that have the same answer in several files, or number these answers as replicates."""
    if replicates:
        paths = dict.fromkeys(part.given for part in parts)
        of_each = [[part for part in parts if part.given == given] for given in paths]
        parts = [part for together in (of_each if apart else [parts]) for part in _numbered(together)]
    again = _several(parts, _ANSWER)
    if apart:
        again = sorted({*again, *_in_several_paths(parts)})
    if not again:
        return parts, []
    within = _within_one_path(parts)
    of_file = _labels([part.name for part in parts])
    of_path = _labels([part.given for part in parts])
    of_variant = {} if apart else {model: _variants(parts, model) for model in again}

    def label(part: _Part, model: str) -> str:
        if model not in again:
            return model
        if of_variant.get(model):
            return f"{model} ({of_variant[model][id(part)]})"
        return f"{model} ({(part.run or of_file[part.name]) if model in within else of_path[part.given]})"

    def relabelled(part: _Part) -> _Part:
        names = {model: label(part, model) for model in part.frame["model"].unique().to_list()}
        frame = part.frame.with_columns(pl.col("model").replace(names))
        return replace(part, frame=frame, score_notes=part.score_notes.renamed(names))

    renamed = [relabelled(part) for part in parts]
    named = ", ".join(repr(model) for model in again[:_NAMED]) + (" …" if len(again) > _NAMED else "")
    return renamed, [
        f"Several files have scores of {named}"
        + (" on the same items" if not apart else "")
        + ", so each is compared as a model of its own, called "
        + ("'model (what differs)'." if all(of_variant.values()) and of_variant else "'model (file)'.")
        + ("" if apart else f" If they are replicates, give {option('replicates')}.")
    ]


def _numbered(parts: list[_Part]) -> list[_Part]:
    """Number the answers of models that have several scores of one answer, file by file, as replicates."""
    again = _several(parts, _ANSWER)
    start, numbered = 0, []
    for part in parts:
        later = pl.when(pl.col("model").is_in(again)).then(pl.col("replicate") + start).otherwise("replicate")
        numbered.append(replace(part, frame=part.frame.with_columns(replicate=later)))
        start += int(part.frame["replicate"].max() or 0) + 1  # type: ignore[arg-type]
    return numbered


def _variants(parts: list[_Part], model: str) -> dict[int, str]:
    """Name the runs of a model by what differs between them; nothing where that leaves two runs alike."""
    runs = [part for part in parts if model in part.frame["model"].unique()]
    names = sorted({name for part in runs for name in part.variant})
    differing = [name for name in names if len({part.variant.get(name) for part in runs}) > 1]
    labels = {
        id(part): ", ".join(f"{name} {part.variant.get(name, 'default')}" for name in differing)
        for part in runs
    }
    of_model = [
        replace(part, frame=part.frame.filter(model=model).with_columns(model=pl.lit(labels[id(part)])))
        for part in runs
    ]
    return {} if not differing or _several(of_model, _ANSWER) else labels


def _in_several_paths(parts: list[_Part]) -> list[str]:
    """The models that occur in two of the given paths, in ascending order."""
    paths: dict[str, set[str]] = {}
    for part in parts:
        for model in part.frame["model"].unique().to_list():
            paths.setdefault(model, set()).add(part.given)
    return sorted(model for model, given in paths.items() if len(given) > 1)


def _within_one_path(parts: list[_Part]) -> set[str]:
    """The models that have several scores of one answer in the files of one folder."""
    folders = dict.fromkeys(part.given for part in parts)
    return {model for given in folders for model in _several([p for p in parts if p.given == given], _ANSWER)}


def _labels(names: list[str]) -> dict[str, str]:
    different = list(dict.fromkeys(names))
    return dict(zip(different, path_names([Path(name) for name in different]), strict=True))


def _check_once(parts: list[_Part]) -> None:
    """Refuse a file that two of the given paths lead to."""
    given: dict[str, str] = {}
    for part in parts:
        if given.setdefault(part.name, part.given) != part.given:
            raise UsageError(
                f"the file {part.name!r} is given twice, by {given[part.name]!r} and {part.given!r}"
            )


def _several(parts: list[_Part], keys: Sequence[str]) -> list[str]:
    """The models that have scores of one key in several files, in ascending order."""
    answers = pl.concat([part.frame.select("model", *keys).unique() for part in parts])
    return answers.group_by("model", *keys).len().filter(pl.col("len") > 1)["model"].unique().sort().to_list()


def _joined(parts: list[_Part]) -> tuple[pl.DataFrame, list[str]]:
    """Put files below each other; the cluster or stratum of an item in one holds for it in the others."""
    frame = pl.concat([part.frame for part in parts], how="diagonal")
    notes = []
    for name in ("cluster", *(name for name in frame.columns if name not in FIXED)):
        silent = [p.name for p in parts if name not in p.frame.columns or p.frame[name].is_null().all()]
        if not 0 < len(silent) < len(parts):
            continue
        elsewhere = frame.select("item", name).drop_nulls().unique()
        if elsewhere["item"].is_unique().all():
            filled = frame.select("item").join(elsewhere, on="item", how="left", maintain_order="left")[name]
            if filled.null_count() < frame[name].null_count():
                frame = frame.with_columns(filled.alias(name))
                notes.append(
                    f"The {name} of items in {', '.join(silent)} is taken from the same items in other files."
                )
    return frame, notes


def _direction(less: Sequence[tuple[str, LessIsBetter]], lower_is_better: bool | None) -> list[str]:
    """Say how scores are read of which less is better, or ask."""
    if lower_is_better:
        for name, direction in less:
            if direction.is_negated:
                raise UsageError(
                    f"the scores of {direction.metric!r} are negated already, since its log says so",
                    where=name,
                    next_step=f"Leave {option('lower_is_better')} out",
                )
        return ["Lower is better, so scores are negated: -0.2 stands for 0.2, and higher is better here."]
    unclear = next(((name, d.metric) for name, d in less if not d.is_negated), None)
    if unclear is not None and lower_is_better is None:
        name, metric = unclear
        less_is, more_is = option("lower_is_better"), option("lower_is_better", False)
        raise UsageError(
            f"the scores are called {metric!r}, of which usually less is better",
            where=name,
            next_step=f"If it is: {less_is}; if more is: {more_is}",
        )
    return []


def _negated(table: ScoreTable) -> ScoreTable:
    low, high = table.limits
    score = pl.col("score")
    # A zero stays one: -0.0 would be written as such.
    negated = pl.when(score == 0).then(0.0).otherwise(-score)
    return replace(table, frame=table.frame.with_columns(score=negated), limits=(0 - high, 0 - low))


def _widest(stated: list[Limits]) -> Limits:
    return (min(low for low, _ in stated), max(high for _, high in stated)) if stated else (0.0, 1.0)


def _is_outside(frame: pl.DataFrame) -> pl.Series:
    """Of each row whether its score is a number outside of [0, 1]."""
    finite = frame["score"].is_finite().fill_null(False)
    return (finite & ~frame["score"].is_between(0, 1)).fill_null(False)


def _check_usual(frame: pl.DataFrame, locate: Any) -> None:
    """Require the limits where scores are outside [0, 1] and no file records them."""
    outside = _is_outside(frame)
    if not outside.any():
        return
    scores = frame["score"].filter(frame["score"].is_finite().fill_null(False))
    least, most = float(scores.min() or 0), float(scores.max() or 0)  # type: ignore[arg-type]
    low, high = next(
        ((low, high) for low, high in _USUAL if low <= least and most <= high), (float("-inf"), float("inf"))
    )
    row = outside.arg_max() or 0
    raise InputError(
        f"the score {frame['score'][row]:g} is outside [0, 1]; scores here are from {least:g} to {most:g}",
        where=locate(row),
        next_step=f"Give the lowest and highest possible score, such as {option('limits', (low, high))}"
        + ("" if high == float("inf") else "; -inf and inf where there is none"),
    )
