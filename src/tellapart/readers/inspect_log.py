"""Logs of Inspect, as ``.eval`` or as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.scores import CAUSES, FIXED
from tellapart.errors import InputError
from tellapart.files import as_object, as_objects, head, part, read_object, whole_number
from tellapart.readers.inspect_archive import holds_log, read_archive, read_sample
from tellapart.readers.reader import Retried
from tellapart.readers.row_form import Form, Log, Metric, Missing, Row, Shown
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import as_text

KNOWN_VERSION = 2
"""The version of the log format that is read."""

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's own metrics count grades as (``inspect_ai.scorer.value_to_float``)."""

_LIMITS = {"time": "timeout", "working": "timeout", "token": "budget", "cost": "budget"}
_REASONS = {"refusal": "refusal", "invalid_response_format": "parse", "no_response": "parse"}

_Sample = Mapping[str, Any]


def _is_log(path: Path) -> bool:
    start = head(path)
    if path.suffix == ".eval" or start.startswith(b"PK"):
        return path.suffix == ".eval" or holds_log(path)
    return bool(
        re.match(rb'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{', start)
    )


def _log(path: Path, settings: ReadingSettings) -> Log:
    if path.suffix == ".eval" or head(path).startswith(b"PK"):
        return _of_parts(*read_archive(path), settings, path, is_archive=True)
    log = read_object(path)
    return _of_parts(log, as_objects(log.pop("samples", None), f"{path}: 'samples'"), settings, path)


def _of_parts(
    header: _Sample,
    samples: Sequence[_Sample],
    settings: ReadingSettings,
    path: Path,
    *,
    is_archive: bool = False,
) -> Log:
    """Read one log.

    An item is named by the task and the sample's id; an epoch is a replicate; metadata that sorts the samples
    are strata, and one of the name ``cluster`` is the cluster. The value of a scorer that gives several is
    named ``scorer.key``. An unscored sample (NaN in Inspect) is missing: because of its error, the limit that
    it hit, or the scorer's reason. Whether a sample that ended with an error is wrong or missing is what the
    user of Inspect chose (``score_on_error``): where a scorer gave it a score, this counts, and a caution
    stays with the scores. Samples with one id and epoch are replicates; of one that was written again, the
    last counts. A log of our own task records which metadata are which columns (``score_table``), and becomes
    the table of our own run.
    """
    if header.get("version") != KNOWN_VERSION:
        raise InputError(
            f"the log's version is {header.get('version')!r}; only version {KNOWN_VERSION} can be read",
            where=path,
            next_step="Convert it with: inspect log convert --to json --output-dir DIRECTORY LOG",
        )
    spec = as_object(header.get("eval"), f"{path}: 'eval'")
    # A sample that is written again keeps its uuid, and logs without uuids have each sample once.
    latest = {
        (str(sample.get("id")), _epoch(sample, path), sample.get("uuid") or number): sample
        for number, sample in enumerate(samples)
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
    names = list(dict.fromkeys(name for of_sample in values for name in of_sample))
    notes = _notes(header, spec, epochs, len(latest), path)
    if again := len(samples) - len(latest):
        notes.append(f"{path.name}: {again} samples are written again; the last of each counts.")
    if not names:
        notes.append("No sample of this log has a score.")
    rows, read = [], names or [settings.metric or "score"]
    for (id_, epoch, _), sample, of_sample in zip(latest, latest.values(), values, strict=True):
        metadata = part(sample, "metadata")
        fields = {column: metadata.get(name) for column, name in columns.items()}
        item, number = fields.get("item"), fields.get("replicate")
        if number is not None:
            where = f"{path}: {columns['replicate']!r} of sample {id_!r}"
            number = whole_number(number, where) * epochs
        scores = {name: _score(sample, *of_sample.get(name, (None, None))) for name in read}
        cluster = metadata.get(columns.get("cluster", "cluster"))
        rows.append(
            Row(
                f"{task}/{sample.get('id')}" if item is None else str(item),
                scores,
                partial(_shown, path, sample, is_archive=is_archive),
                replicate=(number or 0) + epoch - 1,
                cluster=None if cluster is None else str(cluster),
                traits={n: v for n, v in fields.items() if n not in FIXED} if columns else metadata,
                where=f"{path}: sample {id_!r}",
            )
        )
    label = str(facts.get("label", "{model}")) if named else "{model}"
    model = label.replace("{model}", str(spec.get("model")))

    def metric(name: str) -> Metric:
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
    usual = [n for n in numeric if n in (f"{scorer}.{key}", scorer, key)] + numeric
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


FORMS = (Form("Inspect log", _is_log, _log),)
