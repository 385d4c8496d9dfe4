"""Logs of Inspect, as ``.eval`` or as JSON."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from math import fsum
from pathlib import Path
from typing import Any

import polars as pl

from tellapart.core.failure_words import cause_of
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.scores import CAUSES, FIXED
from tellapart.errors import InputError
from tellapart.files import (
    as_object,
    as_objects,
    cannot_read,
    head,
    parse_json,
    part,
    read_object,
    whole_number,
)
from tellapart.readers.column_names import is_less_better
from tellapart.readers.log import SPENDING, Log, Metric, Missing, Row, Shown
from tellapart.readers.reader import Retried
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import as_text, asked

_CONVERT = "Convert it with: inspect log convert --to json --output-dir DIRECTORY LOG"
KNOWN_VERSION = 2
"""The version of the log format that is read."""

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's own metrics count grades as (``inspect_ai.scorer.value_to_float``)."""

_LIMITS = {"time": "timeout", "working": "timeout", "token": "budget", "cost": "budget"}
_REASONS = {"refusal": "refusal", "invalid_response_format": "parse", "no_response": "parse"}

_SPENT = ("total_tokens", "total_cost", "total_time", "working_time")
"""What a sample took, as Inspect calls it: read where it is asked for."""

_COMPARED = 1000
"""So many characters of an input say what is asked: summaries of samples cut longer ones."""

_Sample = Mapping[str, Any]


def log(path: Path, settings: ReadingSettings) -> Log:
    """Read one log.

    An item is named by the task and the sample's id; an epoch is a replicate. An unscored sample (NaN in
    Inspect) is missing because of its error, the limit that it hit, or the scorer's reason. Whether a sample
    that ended with an error is wrong or missing is what the user of Inspect chose (``score_on_error``): where
    a scorer gave it a score, this counts, and a caution stays with the scores. A log of our own task records
    which metadata are which columns (``score_table``), and becomes the table of our own run.
    """
    is_archive = path.suffix == ".eval" or head(path).startswith(b"PK")
    header, samples = read_archive(path) if is_archive else (whole := read_object(path), whole.get("samples"))
    if header.get("version") != KNOWN_VERSION:
        raise InputError(
            f"the log's version is {header.get('version')!r}; only version {KNOWN_VERSION} can be read",
            where=path,
            next_step=_CONVERT,
        )
    spec = as_object(header.get("eval"), f"{path}: 'eval'")
    written = as_objects(samples, f"{path}: 'samples'")
    # A sample that is written again keeps its uuid, and logs without uuids have each sample once.
    latest = {
        (str(sample.get("id")), _epoch(sample, path), str(sample.get("uuid") or "") or number): sample
        for number, sample in enumerate(written)
    }
    if not latest:
        raise InputError(
            f"the log has no samples; its status is {header.get('status')!r}",
            where=path,
            next_step=f"Inspect says: {error}" if (error := _message(header)) else None,
        )
    facts, config, task = part(spec, "metadata"), part(spec, "config"), str(spec.get("task"))
    named = part(facts, "score_table")
    columns = dict(named) if all(isinstance(value, str) for value in named.values()) else {}
    epochs = config.get("epochs")
    epochs = 1 if epochs is None else whole_number(epochs, f"{path}: 'eval.config.epochs'", least=1)
    values = [_values(sample, path) for sample in latest.values()]
    spent = settings.metric if settings.metric in _SPENT and settings.metric not in chain(*values) else None
    if spent:
        values = [{spent: (_spent(sample, spent), "unknown")} for sample in latest.values()]
    names = list(dict.fromkeys(chain(*values)))
    notes = _notes(header, spec, epochs, len(latest), path)
    if again := len(written) - len(latest):
        notes.append(f"{path.name}: {again} samples are written again; the last of each counts.")
    if not names:
        notes.append("No sample of this log has a score.")
    rows = []
    for (id_, epoch, _), sample, of_sample in zip(latest, latest.values(), values, strict=True):
        metadata = part(sample, "metadata")
        fields = {column: metadata.get(name) for column, name in columns.items()}
        item, number = fields.get("item"), fields.get("replicate") or 0
        number = whole_number(number, f"{path}: {columns.get('replicate')!r} of sample {id_!r}") * epochs
        cluster = metadata.get(columns.get("cluster", "cluster"))
        rows.append(
            Row(
                f"{task}/{sample.get('id')}" if item is None else str(item),
                {
                    name: _score(sample, *of_sample.get(name, (None, None)))
                    for name in names or [settings.metric or "score"]
                },
                partial(_shown, path, sample, is_archive=is_archive),
                replicate=number + epoch - 1,
                cluster=None if cluster is None else str(cluster),
                traits={n: v for n, v in fields.items() if n not in FIXED} if columns else metadata,
                where=f"{path}: sample {id_!r}",
                asks=asked(as_text(sample.get("input"))[:_COMPARED]),
            )
        )
    label = str(facts.get("label", "{model}")) if named else "{model}"
    model = label.replace("{model}", str(spec.get("model")))

    def metric(name: str) -> Metric:
        if spent:
            return SPENDING
        scored = zip((row.scores[name] for row in rows), latest.values(), strict=True)
        failed = [score for score, sample in scored if isinstance(score, float) and _message(sample)]
        return Metric(
            (0.0, 1.0) if columns or _are_graded([v[name][0] for v in values if name in v]) else None,
            stamps=_stamps(spec, name),
            cautions=_scored_errors(failed, settings.name or model, config.get("score_on_error")),
        )

    headline = part(spec, "headline_metric")
    scorer, key = headline.get("scorer"), headline.get("score")
    numeric = [n for n in names if any(isinstance(row.scores[n], float) for row in rows)]
    usual = [n for n in numeric if n in (f"{scorer}.{key}", scorer, key)]
    usual += sorted(numeric, key=is_less_better)
    declared = [columns["score"]] if columns.get("score") in names else []
    return Log(
        rows,
        model=model,
        metric=metric,
        default=[*declared, *usual, None][0],
        names=declared,
        strata={} if columns else {"task": task},
        notes=notes,
        retried=Retried(str(task_id), str(spec.get("created"))) if (task_id := spec.get("task_id")) else None,
    )


def _shown(path: Path, sample: _Sample, *, is_archive: bool) -> Shown:
    """The input of a sample, its target, what the model said, and the whole conversation."""
    sample = read_sample(path, sample) if is_archive else sample
    facts: dict[str, Any] = {}
    for name, score in part(sample, "scores").items():
        if isinstance(score, Mapping):
            facts |= {name: as_text(score.get("value")), f"{name}: why": score.get("explanation")}
    messages = sample.get("messages")
    return Shown(
        as_text(sample.get("input")),
        as_text(sample.get("target")),
        as_text(part(sample, "output").get("completion", "")),
        {**facts, "error": _message(sample)},
        [m for m in (messages if isinstance(messages, list) else ()) if isinstance(m, Mapping)],
        f"{sample.get('id')}, epoch {sample.get('epoch', 1)}",
    )


def _epoch(sample: _Sample, path: Path) -> int:
    name = sample.get("id")
    if name is None:
        raise InputError("a sample has no 'id'", where=path)
    return whole_number(sample.get("epoch", 1), f"{path}: 'epoch' of sample {name!r}", least=1)


def _values(sample: _Sample, path: Path) -> dict[str, tuple[Any, Any]]:
    """Each value of each scorer, and the reason that goes with it."""
    where = f"{path}: scores of sample {sample.get('id')!r}"
    values = {}
    for scorer, entry in as_object(sample.get("scores") or {}, where).items():
        score = as_object(entry, where)
        value = score.get("value")
        value = dict(enumerate(value)) if isinstance(value, list) else value
        for key, element in (value if isinstance(value, Mapping) else {None: value}).items():
            values[scorer if key is None else f"{scorer}.{key}"] = element, score.get("reason")
    return values


def _spent(sample: _Sample, measure: str) -> float | None:
    """What a sample took: seconds, or tokens or US dollars of all models that it called, graders included."""
    if measure.endswith("time"):
        return sample.get(measure)
    amounts: list[Any] = [
        as_object(used, "model_usage").get(measure) for used in part(sample, "model_usage").values()
    ]
    return fsum(amounts) if amounts and None not in amounts else None


def _score(sample: _Sample, value: Any, reason: Any) -> Any:
    """A value as a number, or why there is none: Inspect marks with NaN what was not scored."""
    if value is None or value != value:
        return Missing(_cause(sample, reason))
    if isinstance(value, int | float):
        return float(value)
    grade = _grade(value)
    try:
        return float(value) if grade is None else grade
    except (TypeError, ValueError):
        return value


def _grade(value: Any) -> float | None:
    return _GRADES.get(str(value), _GRADES.get(str(value).lower()))


def _are_graded(values: Sequence[Any]) -> bool:
    """Whether all values are grades or truth values."""
    defined = [value for value in values if value is not None and value == value]
    return bool(defined) and all(isinstance(v, bool) or _grade(v) is not None for v in defined)


def _cause(sample: _Sample, reason: Any) -> str:
    if message := _message(sample):
        return cause_of(message)
    limit = sample.get("limit")
    if kind := limit.get("type") if isinstance(limit, Mapping) else limit:
        return _LIMITS.get(str(kind), "truncated")
    return str(reason) if reason in CAUSES else _REASONS.get(str(reason), "judge")


def _message(sample: _Sample) -> str:
    error = sample.get("error")
    return str(error.get("message") if isinstance(error, Mapping) else error or "")


def _notes(header: _Sample, spec: _Sample, epochs: int, n_samples: int, path: Path) -> list[str]:
    """Say what a run lacks, and where Inspect's own figure is no mean over epochs."""
    notes = []
    ids, reducers = part(spec, "dataset").get("sample_ids"), part(spec, "config").get("epochs_reducer")
    planned = len(ids) * epochs if isinstance(ids, list) else 0
    if header.get("status") != "success" or n_samples < planned:
        of = f" of {planned}" if planned else ""
        notes.append(
            f"{path.name}: the run ended with status {header.get('status')!r}, {n_samples}{of} samples."
        )
    if header.get("invalidated"):
        notes.append(f"{path.name}: Inspect marks samples as invalid; they are included.")
    others = [str(reducer) for reducer in reducers if reducer != "mean"] if isinstance(reducers, list) else []
    if epochs > 1 and others:
        notes.append(
            f"{path.name}: Inspect takes the {epochs} epochs of a sample together by {', '.join(others)}; "
            "here they are replicates, and an item's score is their mean."
        )
    return notes


def _stamps(spec: _Sample, metric: str) -> dict[str, Any]:
    """Versions of the task, its data and Inspect, and what the scorer of a metric was given."""
    scorers = spec.get("scorers")
    named = {
        str(scorer.get("name")).rpartition("/")[2]: part(scorer, "options")
        for scorer in (scorers if isinstance(scorers, list) else ())
        if isinstance(scorer, Mapping)
    }
    scorer = next((name for name in (metric, metric.partition(".")[0]) if name in named), None)
    options = dict(named[scorer]) if scorer else {}
    judge = options.pop("model", None) or part(part(spec, "model_roles"), "grader").get("model")
    dataset = part(spec, "dataset")
    return {
        "task version": spec.get("task_version"),
        "dataset": dataset.get("location") or dataset.get("name"),
        "inspect_ai": part(spec, "packages").get("inspect_ai"),
        "scorer": scorer,
        "judge": judge,
        "scorer options": sha256_of_json(options)[:12] if options else None,
    }


def _scored_errors(scores: Sequence[float], model: str, is_chosen: object) -> tuple[str, ...]:
    """Warn of samples that have a score although they ended with an error, and say who chose that."""
    if not scores:
        return ()
    why = "score_on_error is on" if is_chosen else "a scorer ran before the error"
    samples_are, count = ("samples", "count") if len(scores) > 1 else ("sample", "counts")
    return (
        f"{len(scores)} {samples_are} of {model} ended with an error and {count} as scored "
        f"(mean {sum(scores) / len(scores):.3g}): {why}.",
    )


# An ``.eval`` log is a zip of JSON, mostly compressed with Zstandard.

_ZSTANDARD = 93
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
_JOURNAL, _SAMPLES = "_journal/summaries/", "samples/"
_MOST_BYTES = 256 * 2**20
"""Of one part of a log, unpacked: it is held in memory, and parsed, which takes several times as much."""
_DAMAGE = (zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, pl.exceptions.PolarsError)


def read_archive(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read the header and the samples' summaries; the samples themselves only where there are no summaries.

    A log whose run was killed has no header, but a journal; its status is ``started``.
    """
    with _opened(path) as archive:
        members = {info.filename: info for info in archive.infolist()}
        start = members.get(_HEADER) or members.get(_START)
        if start is None:
            raise InputError("this zip is not an Inspect log: it has no header.json", where=path)
        header = as_object(_json(archive, start, path), path)
        samples = []
        for info in _members(archive.infolist()):
            value = _json(archive, info, path)
            of_member = value if isinstance(value, list) else [value]
            samples += as_objects(of_member, f"{path}:{info.filename}")
    return {"status": "started", **header}, samples


def read_sample(path: Path, sample: Mapping[str, Any]) -> dict[str, Any]:
    """Read a sample whole, whose summary the log has; the summary where the log has no more."""
    name = f"{_SAMPLES}{sample.get('id')}_epoch_{sample.get('epoch', 1)}.json"
    with _opened(path) as archive:
        # Samples with one id and epoch have one name, too.
        members = [info for info in archive.infolist() if info.filename == name]
        whole = [as_object(_json(archive, info, path), f"{path}:{name}") for info in members]
    same = [entry for entry in whole if entry.get("uuid") == sample.get("uuid")]
    return (same or whole or [dict(sample)])[-1]


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        raise InputError(
            f"this is not a complete zip archive ({error}), which an Inspect .eval log is",
            where=path,
            next_step="If the file was cut off, copy it again",
        ) from None
    except OSError as error:
        raise cannot_read(path, error) from None


def holds_log(path: Path) -> bool:
    """Check whether a file is a zip with the parts of a log; never raises."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool({_HEADER, _START} & set(archive.namelist()))
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def _members(infos: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The samples' summaries; those of the journal where the run was killed; else the samples."""
    if summaries := [info for info in infos if info.filename == _SUMMARIES]:
        return summaries[-1:]
    parts = [info for info in infos if info.filename.endswith(".json")]
    journal = [info for info in parts if info.filename.startswith(_JOURNAL)]
    of_samples = [info for info in parts if info.filename.startswith(_SAMPLES)]
    journal.sort(key=lambda info: (len(info.filename), info.filename))
    return journal or sorted(of_samples, key=lambda info: info.filename)


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Any:
    name = info.filename
    if info.file_size > _MOST_BYTES:
        raise InputError(
            f"{name} has {info.file_size:,} bytes unpacked, expected at most {_MOST_BYTES:,}",
            where=path,
            next_step="Is this the log that you mean? Run the evaluation in several logs if it is",
        )
    try:
        text = _unpacked(archive, info) if info.compress_type == _ZSTANDARD else archive.read(info)
    except _DAMAGE as error:
        raise InputError(f"cannot unpack {name}: {error}", where=path, next_step=_CONVERT) from None
    if zlib.crc32(text) != info.CRC:
        raise InputError(f"{name} is damaged: its checksum is wrong", where=path, next_step=_CONVERT)
    return parse_json(text, f"{path}:{name}")


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack what Python's zipfile cannot before 3.14, with the reader of compressed CSV in Polars.

    JSON has no control characters, so two of them as separators make the whole text one cell.
    """
    file = archive.fp
    if file is None or not info.file_size:
        return b""
    # The bytes of a member stand behind its local header (APPNOTE 4.3.7).
    file.seek(info.header_offset)
    local = file.read(30)
    if local[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"no member at the place of {info.filename}")
    file.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), 1)
    cell = pl.read_csv(
        file.read(info.compress_size),
        has_header=False,
        separator="\x1f",
        eol_char="\x1e",
        quote_char=None,
        schema={"text": pl.String},
    )
    return "".join(text or "" for text in cell["text"]).encode()
