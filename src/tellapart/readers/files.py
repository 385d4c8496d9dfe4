"""Which form a file has, and several files as one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from tellapart.core.progress import SILENT, Progress, counted
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import FIXED, LABELS, ScoreTable, standard_columns
from tellapart.errors import InputError, UsageError, option, placed
from tellapart.readers.alike import PART as _PART
from tellapart.readers.alike import (
    common_metrics,
    copies,
    higher_is_better,
    negated,
    paired_by_text,
    sharing_items,
)
from tellapart.readers.cells import without_stand_ins
from tellapart.readers.folders import STDIN, files_of, on_disk
from tellapart.readers.forms import TABLE, Form, check_used, form_of
from tellapart.readers.labels import with_labels
from tellapart.readers.reader import (
    LogScores,
    NamedFrame,
    NoItemScores,
    Source,
    Together,
    check_same_basis,
    check_stamps,
    fill_unranked,
)
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.table import scores_of_frame
from tellapart.report.numbers import listed
from tellapart.store import path_names

Limits = tuple[float, float]

_NAMED = 3
_ANSWER = ("model", "item", "replicate", "grading")
_GIVEN, _ROW = "_given", "_row"
"""Of each row: the number of the path that led there, and of its row in the file, from 1."""
_USUAL: tuple[Limits, ...] = ((-1, 1), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
_UNBOUNDED = (float("-inf"), float("inf"))


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
    """The scores of one file, in standard columns.

    Attributes:
        given: The path that led to it.
        again: Reads another metric of it; None of a table in memory.
    """

    given: str
    form: Form
    again: Callable[[str], _Part] | None = None


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
    parts, passed_over = _parts_of(paths, settings, progress, where_needed=where_needed)
    groups = sharing_items([part.frame for part in parts])
    parts, chosen = _of_common_metrics(parts, groups)
    parts, directions = higher_is_better(parts, settings.lower_is_better)
    if not where_needed:
        check_used(settings, [(part.name, part.form) for part in parts])
    differing = check_same_basis(parts)
    cautions = check_stamps(parts, strict=settings.strict)
    frames, unranked = fill_unranked(parts)
    frame, continued = _without_earlier_attempts(_joined(frames, parts), parts, apart=apart)
    columns = settings.columns or {}
    repeated = copies(frame, parts, columns)
    frame, paired, other_texts = paired_by_text(frame, parts, groups, columns)
    if settings.replicates:
        frame = _numbered(frame, apart=apart)
    frame, score_notes, renamed = _tell_runs_apart(frame, parts, apart=apart)
    frame, shared = _with_shared_columns(frame, parts)

    def row_location(row: int) -> str:
        return f"{parts[frame[_PART][row]].name}, row {frame[_ROW][row]}"

    stated = [part.limits for part in parts if part.limits]
    frame, stand_ins = without_stand_ins(frame, settings.missing, None if stated else row_location)
    outside = (~frame["score"].is_between(0, 1) & frame["score"].is_finite()).fill_null(False)
    limits = None if where_needed and (stated or not outside.any()) else settings.limits
    if limits is None and not stated and outside.any():
        _ask_for_limits(frame["score"], outside, row_location)
    if stated and limits is None:
        limits = min(low for low, _ in stated), max(high for _, high in stated)
    cautions = (*score_notes.cautions, *cautions, *other_texts, *repeated)
    score_notes = score_notes.model_copy(update={"cautions": cautions})
    table = ScoreTable.from_frame(frame, limits=limits or (0.0, 1.0), locate=row_location, notes=score_notes)
    if settings.human is not None:
        table = with_labels(table, settings.human)
    if settings.lower_is_better:
        scores, limits = negated(table.frame, table.limits)
        table = replace(table, frame=scores, limits=limits)
    of_parts = [note for part in parts for note in part.notes]
    notes = [*directions, *passed_over, *chosen, *continued, *paired, *of_parts, *unranked, *shared]
    notes += [*stand_ins, *differing, *renamed]
    forms: dict[str, str] = {}
    models: dict[str, tuple[str, ...]] = {}
    sources: dict[str, tuple[str, ...]] = {}
    for number, of_part in frame.group_by(_PART, maintain_order=True).agg(pl.col("model").unique()).rows():
        part = parts[number]
        forms[part.name], models[part.name] = part.form.name, tuple(sorted(of_part))
        sources[part.given] = tuple(sorted({*sources.get(part.given, ()), *of_part}))
    order = _order(frame) if ordered else ()
    return Reading(table, forms, tuple(dict.fromkeys(notes)), sources, models, order)


def _of_common_metrics(
    parts: Sequence[_Part], groups: Sequence[Sequence[int]]
) -> tuple[list[_Part], list[str]]:
    """Read files again that have chosen another metric than those with the same items."""
    read, common = list(parts), common_metrics(parts, groups)
    for number, metric in common.items():
        part = parts[number]
        if part.again is None:
            raise UsageError(
                f"the metric that all files have is {metric!r}, and this one can be read only once",
                where=part.name,
                next_step=f"Name it: {option('metric', metric)}",
            )
        read[number] = part.again(metric)
    of_all = "the first metric that all files with these items have"
    return read, [
        f"Read the metric {metric!r}, {of_all} ({option('metric', 'NAME')})." for metric in common.values()
    ]


def _order(frame: pl.DataFrame) -> tuple[str, ...]:
    """The items of rows as they were read, see `Reading.order`."""
    first = frame.select("model", "item").unique(keep="first", maintain_order=True).with_row_index("row")
    items = first.group_by("item").agg(models=pl.len(), last=pl.col("row").max())
    return tuple(items.sort("models", "last", descending=[True, False])["item"].to_list())


def _parts_of(
    sources: Sequence[Source], settings: ReadingSettings, progress: Progress, *, where_needed: bool
) -> tuple[list[_Part], list[str]]:
    """Read each file once, and refuse one that two of the given paths lead to."""
    parts: list[_Part] = []
    notes: list[str] = []
    for source, of_this in zip(sources, settings.of_paths(sources), strict=True):
        read, passed_over = _parts(source, of_this, progress, where_needed=where_needed)
        given = {part.name: part.given for part in parts}
        for part in read:
            if part.name in given:
                by = f"{given[part.name]!r} and {part.given!r}"
                raise UsageError(f"the file {part.name!r} is given twice, by {by}")
        parts += read
        notes += passed_over
    return parts, notes


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
    for frame in (member for member in members if isinstance(member, NamedFrame)):
        scores = scores_of_frame(frame.frame, settings, frame.name)
        parts.append(_standard(given, frame.name, TABLE, scores))
    paths = [member for member in members if isinstance(member, Path)]
    files = [file for path in paths for file in files_of(path, settings)]
    for file in counted(files, progress, f"reading {given}", unit="files"):
        try:
            parts.append(_part(file, settings, given))
        except NoItemScores as error:
            averages.append(error)
    if averages and not parts:
        raise averages[0]
    files_are = "file of averages is" if len(averages) == 1 else "files of averages are"
    return parts, [f"{given}: {len(averages)} {files_are} passed over."] if averages else []


def _part(path: Path, settings: ReadingSettings, given: str) -> _Part:
    name = "standard input" if path == STDIN else str(path)
    with on_disk(path, name) as file:
        try:
            form = form_of(file, settings)
            part = _standard(given, name, form, form.read(file, settings))
        except (InputError, UsageError) as error:
            if file == path or error.where is None:
                raise
            where = error.where.replace(str(file), name)
            raise type(error)(error.what, where=where, next_step=error.next_step) from None
    if file != path:
        return part
    return replace(part, again=lambda metric: _part(path, replace(settings, metric=metric), given))


def _standard(given: str, name: str, form: Form, scores: LogScores) -> _Part:
    with placed(name):
        frame = standard_columns(scores.frame, lambda row: f"{name}, row {row // scores.scores_per_row + 1}")
    if frame.is_empty():
        raise InputError("there are no scores in this file", where=name)
    return _Part(**{**vars(scores), "frame": frame, "name": name}, given=given, form=form)


def _joined(frames: Sequence[pl.DataFrame], parts: Sequence[_Part]) -> pl.DataFrame:
    """Put files below each other; each row keeps where it comes from."""
    given = {name: number for number, name in enumerate(dict.fromkeys(part.given for part in parts))}
    return pl.concat(
        [
            frame.with_columns(
                pl.lit(number).alias(_PART),
                pl.lit(given[part.given]).alias(_GIVEN),
                (pl.int_range(pl.len()) // part.scores_per_row + 1).alias(_ROW),
            )
            for number, (frame, part) in enumerate(zip(frames, parts, strict=True))
        ],
        how="diagonal",
    )


def _without_earlier_attempts(
    frame: pl.DataFrame, parts: Sequence[_Part], *, apart: bool
) -> tuple[pl.DataFrame, list[str]]:
    """Keep each answer once where files are attempts at one run, such as those of ``inspect eval-retry``."""
    attempts: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for number, part in enumerate(parts):
        if part.retried:
            run = (part.given if apart else "", part.retried.run)
            attempts.setdefault(run, []).append((part.retried.started, number))
    notes = []
    for of_run in attempts.values():
        if len(of_run) > 1:
            numbers = [number for _, number in sorted(of_run, reverse=True)]
            age = pl.col(_PART).replace_strict(numbers, range(len(numbers)), default=None)
            frame = frame.filter(age.is_null() | (age == age.min().over(_ANSWER)))
            latest, *earlier = (Path(parts[number].name).name for number in numbers)
            notes.append(
                f"{latest} continues {', '.join(earlier)}; of each sample the latest attempt counts."
            )
    return frame, notes


def _numbered(frame: pl.DataFrame, *, apart: bool) -> pl.DataFrame:
    """Number the answers of models that have several scores of one answer, file by file, as replicates."""
    side = pl.col(_GIVEN) if apart else pl.lit(0)
    greatest = frame.group_by(_PART, side.alias(_GIVEN), maintain_order=True).agg(pl.col("replicate").max())
    starts: dict[int, int] = {}
    next_of: Counter[int] = Counter()
    for part, of_side, replicate in greatest.rows():
        starts[part] = next_of[of_side]
        next_of[of_side] += (replicate or 0) + 1
    again = (pl.col(_PART).n_unique().over(side, *_ANSWER) > 1).any().over(side, "model")
    later = pl.col("replicate") + pl.col(_PART).replace_strict(starts)
    return frame.with_columns(replicate=pl.when(again).then(later).otherwise("replicate"))


def _tell_runs_apart(
    frame: pl.DataFrame, parts: Sequence[_Part], *, apart: bool
) -> tuple[pl.DataFrame, ScoreNotes, list[str]]:
    """Rename models that have the same answer in several files."""
    again = _several(frame, *_ANSWER)
    if apart:
        again |= _several(frame, "model", of=_GIVEN)
    within = _several(frame, _GIVEN, *_ANSWER)
    of_file, of_path = _labels([part.name for part in parts]), _labels([part.given for part in parts])

    def label(number: int, model: str) -> str:
        if model not in again:
            return model
        part = parts[number]
        return f"{model} ({(part.run or of_file[part.name]) if model in within else of_path[part.given]})"

    pairs = frame.select(_PART, "model").unique(maintain_order=True)
    names: list[dict[str, str]] = [{} for _ in parts]
    for number, model in pairs.rows():
        names[number][model] = label(number, model)
    score_notes = ScoreNotes.together(
        part.score_notes.renamed(of_part) for part, of_part in zip(parts, names, strict=True)
    )
    if not again:
        return frame, score_notes, []
    pairs = pairs.with_columns(_name=pl.Series([label(*pair) for pair in pairs.rows()]))
    frame = frame.join(pairs, on=[_PART, "model"], how="left", maintain_order="left")
    shown = ", ".join(map(repr, sorted(again)[:_NAMED])) + (" …" if len(again) > _NAMED else "")
    note = (
        f"Several files have scores of {shown}{'' if apart else ' on the same items'}, so each is compared "
        "as a model of its own, called 'model (file)'."
    )
    note += "" if apart else f" If they are replicates, give {option('replicates')}."
    return frame.with_columns(model="_name").drop("_name"), score_notes, [note]


def _several(frame: pl.DataFrame, *keys: str, of: str = _PART) -> set[str]:
    """The models that have scores of one key in several files."""
    counts = frame.group_by(keys).agg(pl.col(of).n_unique())
    return set(counts.filter(pl.col(of) > 1)["model"])


def _labels(names: list[str]) -> dict[str, str]:
    different = list(dict.fromkeys(names))
    return dict(zip(different, path_names([Path(name) for name in different]), strict=True))


def _with_shared_columns(frame: pl.DataFrame, parts: Sequence[_Part]) -> tuple[pl.DataFrame, list[str]]:
    """Take the cluster or stratum of an item in one file for the files that state none."""
    ours = (*FIXED, *LABELS, _PART, _GIVEN, _ROW)
    names = ["cluster", *(name for name in frame.columns if name not in ours)]
    stated = frame.group_by(_PART, maintain_order=True).agg(pl.col(names).is_not_null().any())
    notes = []
    for name in names:
        silent = [parts[number].name for number in stated.filter(~pl.col(name))[_PART]]
        of_item = frame.select("item", name).drop_nulls().unique()
        if not 0 < len(silent) < stated.height or of_item["item"].is_duplicated().any():
            continue
        filled = frame.select("item").join(of_item, on="item", how="left", maintain_order="left")[name]
        if filled.null_count() < frame[name].null_count():
            frame = frame.with_columns(filled)
            notes.append(
                f"The {name} of items in {', '.join(silent)} is taken from the same items in other files."
            )
    return frame, notes


def _ask_for_limits(scores: pl.Series, outside: pl.Series, locate: Callable[[int], str]) -> None:
    """Require the limits where scores are outside [0, 1] and no file records them."""
    finite = scores.filter(scores.is_finite().fill_null(False))
    least, most = float(finite.min() or 0), float(finite.max() or 0)  # type: ignore[arg-type]
    limits = next(((low, high) for low, high in _USUAL if low <= least and most <= high), _UNBOUNDED)
    row = outside.arg_max() or 0
    raise InputError(
        f"the score {scores[row]:g} is outside [0, 1]; scores here are from {least:g} to {most:g}",
        where=locate(row),
        next_step=f"Give the lowest and highest possible score, such as {option('limits', limits)}"
        + ("" if limits == _UNBOUNDED else "; -inf and inf where there is none"),
    )
