"""Logs of Inspect, as ``.eval`` or as JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.core.failure_words import cause_of
from tellapart.core.fingerprint import sha256_of_json
from tellapart.core.score_notes import ScoreNotes
from tellapart.core.scores import CAUSES, FIXED
from tellapart.errors import InputError, option
from tellapart.files import as_object, as_objects, head, part, read_object, whole_number
from tellapart.readers.answers import Answer, answers_frame, numbered, shortened
from tellapart.readers.inspect_archive import holds_log, read_archive, read_sample
from tellapart.readers.metric_choice import choose_metric
from tellapart.readers.reader import LogScores, Retried
from tellapart.readers.settings import ReadingSettings
from tellapart.readers.texts import Answered, RowTexts, as_facts, as_text

_OWN = "score_table"


@dataclass(frozen=True)
class Layout:
    """Where a log has the columns of a score table.

    Attributes:
        epochs: How often each sample was run.
        columns: By column, the metadata that holds it, as our own tasks record it; empty for others.
        label: What is compared, with ``{model}`` for the model's name.
    """

    task: str
    epochs: int
    columns: Mapping[str, str] = field(default_factory=dict)
    label: str = "{model}"

    @property
    def metric(self) -> str | None:
        """The scorer whose values are the scores, where the task says so."""
        return self.columns.get("score")

    @property
    def limits(self) -> tuple[float, float] | None:
        """Of scores, where the task is ours."""
        return (0.0, 1.0) if self.columns else None

    @property
    def constant(self) -> dict[str, str]:
        """Strata of all samples; none for our own tasks, so that a log and its run give one table."""
        return {} if self.columns else {"task": self.task}

    def model(self, name: str) -> str:
        """Name what is compared."""
        return self.label.replace("{model}", name)

    def item(self, sample: Mapping[str, Any]) -> str:
        """Name the item: by the task and the sample's id, where the task does not say how."""
        item_id = self._own("item", sample)
        return f"{self.task}/{sample.get('id')}" if item_id is None else str(item_id)

    def replicate(self, sample: Mapping[str, Any], where: str) -> int:
        """Number the answers to an item: what the task itself asks several times, each in every epoch."""
        number, epoch = self._own("replicate", sample), int(sample.get("epoch", 1)) - 1
        if number is None:
            return epoch
        return whole_number(number, f"{where}: {self.columns['replicate']!r}") * self.epochs + epoch

    def cluster(self, sample: Mapping[str, Any]) -> str | None:
        """Name what the item shares its source with."""
        source = part(sample, "metadata").get(self.columns.get("cluster", "cluster"))
        return None if source is None else str(source)

    def traits(self, sample: Mapping[str, Any]) -> Mapping[str, object]:
        """What may sort items: all metadata, or what the task names."""
        if not self.columns:
            return part(sample, "metadata")
        return {name: self._own(name, sample) for name in self.columns if name not in FIXED}

    def _own(self, column: str, sample: Mapping[str, Any]) -> Any:
        return part(sample, "metadata").get(self.columns[column]) if column in self.columns else None


def layout_of(spec: Mapping[str, Any], where: object) -> Layout:
    """Find the layout of a log in its record of the task."""
    facts = part(spec, "metadata")
    named = part(facts, _OWN)
    epochs = part(spec, "config").get("epochs")
    return Layout(
        task=str(spec.get("task")),
        epochs=1 if epochs is None else whole_number(epochs, f"{where}: 'eval.config.epochs'", least=1),
        columns=dict(named) if named and all(isinstance(value, str) for value in named.values()) else {},
        label=str(facts.get("label", "{model}")) if named else "{model}",
    )


NAME = "Inspect log"

TAKES = ("metric", "model")

KNOWN_VERSION = 2
"""The version of the log format that is read."""

GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's own metrics count grades as (``inspect_ai.scorer.value_to_float``)."""

_LIMITS = {"time": "timeout", "working": "timeout", "token": "budget", "cost": "budget"}
_REASONS = {"refusal": "refusal", "invalid_response_format": "parse", "no_response": "parse"}

_Sample = Mapping[str, Any]
_Values = dict[str, tuple[object, str | None]]


def recognises(path: Path) -> bool:
    """Check whether a file is an Inspect log, by its name and its beginning; never raises."""
    if path.suffix == ".eval" and path.is_file():
        return True
    start = head(path)
    if start.startswith(b"PK"):
        return holds_log(path)
    return bool(
        re.match(rb'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{', start)
    )


def read(path: Path, settings: ReadingSettings) -> LogScores:
    """Read the scores of one log.

    An item is named by the task and the sample's id; an epoch is a replicate; metadata that sorts the samples
    are strata, and one of the name ``cluster`` is the cluster. The value of a scorer that gives several is
    named ``scorer.key``. An unscored sample (NaN in Inspect) is missing: because of its error, the limit that
    it hit, or the scorer's reason. Whether a sample that ended with an error is wrong or missing is what the
    user of Inspect chose (``score_on_error``): where a scorer gave it a score, this counts, and a caution
    stays with the scores. A note says where Inspect's own figure is not the mean over epochs.
    Samples with one id and epoch are replicates; of one that was written again, the last counts.
    Summaries are read where the log has them, so texts above 1 kB are absent. A log of our own task records
    which metadata are which columns, and becomes the table of our own run.
    """
    header, samples = log_parts(path)
    return log_scores(header, samples, settings, path)


def log_scores(
    header: _Sample, samples: Sequence[_Sample], settings: ReadingSettings, path: Path
) -> LogScores:
    """Read the scores of a log that is in memory, as `read` does."""
    version = header.get("version")
    if version != KNOWN_VERSION:
        raise InputError(
            f"the log's version is {version!r}; only version {KNOWN_VERSION} can be read",
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
    values = [_values(sample, path) for sample in latest.values()]
    layout = layout_of(spec, path)
    metric, notes = _metric(values, spec, settings, layout, path)
    model = settings.name or layout.model(str(spec.get("model")))
    answers, repeated = numbered(
        [
            _answer(
                model, layout, sample, of_sample.get(metric, (None, None)), f"{path}: {metric!r} of {id_!r}"
            )
            for (id_, *_), sample, of_sample in zip(latest, latest.values(), values, strict=True)
        ],
        path,
    )
    if again := len(samples) - len(latest):
        repeated.append(f"{path.name}: {again} samples are written again; the last of each counts.")
    return LogScores(
        answers_frame(answers, **layout.constant),
        (
            *_incomplete(header, spec, layout.epochs, len(latest), path),
            *_reduced(spec, layout.epochs, path),
            *repeated,
            *notes,
        ),
        layout.limits or _limits([of_sample[metric][0] for of_sample in values if metric in of_sample]),
        retried=Retried(str(task_id), str(spec.get("created"))) if (task_id := spec.get("task_id")) else None,
        variant=_variant(header, spec),
        stamps=_stamps(spec, metric),
        score_notes=ScoreNotes(cautions=_scored_errors(spec, latest.values(), answers)),
    )


def texts(path: Path, settings: ReadingSettings) -> RowTexts[_Sample]:
    """The input of each sample, its target, what the model said, and the whole conversation."""
    header, samples = log_parts(path)
    spec = part(header, "eval")
    layout = layout_of(spec, path)
    model = settings.name or layout.model(str(spec.get("model")))
    is_archive = holds_log(path)
    return RowTexts(
        ((layout.item(sample), sample) for sample in samples),
        lambda sample: _answered(model, read_sample(path, sample) if is_archive else sample),
    )


def _answered(model: str, sample: _Sample) -> Answered:
    facts: dict[str, Any] = {}
    for name, score in part(sample, "scores").items():
        if isinstance(score, Mapping):
            facts[name] = as_text(score.get("value"))
            facts[f"{name}: why"] = score.get("explanation")
    if sample.get("error"):
        facts["error"] = part(sample, "error").get("message", sample["error"])
    messages = sample.get("messages")
    return Answered(
        model,
        as_text(sample.get("input")),
        as_text(sample.get("target")),
        as_text(part(sample, "output").get("completion", "")),
        as_facts(facts),
        tuple(
            {"role": str(message.get("role")), "content": as_text(message.get("content"))}
            for message in (messages if isinstance(messages, list) else ())
            if isinstance(message, Mapping)
        ),
        f"{sample.get('id')}, epoch {sample.get('epoch', 1)}",
    )


def _answer(
    model: str, layout: Layout, sample: _Sample, value_and_reason: tuple[object, str | None], where: str
) -> Answer:
    value, reason = value_and_reason
    score = _score(value, where)
    return Answer(
        model=model,
        item=layout.item(sample),
        score=score,
        missing=None if score is not None else _cause(sample, reason),
        replicate=layout.replicate(sample, where),
        cluster=layout.cluster(sample),
        traits=layout.traits(sample),
    )


def log_parts(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read a log: its header and its samples, as summaries where it has them."""
    if path.suffix == ".eval" or head(path).startswith(b"PK"):
        return read_archive(path)
    log = read_object(path)
    return log, as_objects(log.pop("samples", None), f"{path}: 'samples'")


def _epoch(sample: _Sample, path: Path) -> int:
    name = sample.get("id")
    if name is None:
        raise InputError("a sample has no 'id'", where=path)
    return whole_number(sample.get("epoch", 1), f"{path}: 'epoch' of sample {name!r}", least=1)


def _values(sample: _Sample, path: Path) -> _Values:
    """Each value of each scorer, and the reason that goes with it."""
    where = f"{path}: scores of sample {sample.get('id')!r}"
    scores = as_object(sample.get("scores") or {}, where)
    values: _Values = {}
    for scorer, entry in scores.items():
        score = as_object(entry, where)
        value, reason = score.get("value"), score.get("reason")
        reason = reason if isinstance(reason, str) else None
        if isinstance(value, Mapping):
            values.update({f"{scorer}.{key}": (element, reason) for key, element in value.items()})
        elif isinstance(value, list):
            values.update({f"{scorer}.{i}": (element, reason) for i, element in enumerate(value)})
        else:
            values[scorer] = (value, reason)
    return values


def _metric(
    values: Sequence[_Values], spec: _Sample, settings: ReadingSettings, layout: Layout, path: Path
) -> tuple[str, tuple[str, ...]]:
    names = list(dict.fromkeys(name for of_sample in values for name in of_sample))
    if not names:
        return settings.metric or "", ("No sample of this log has a score.",)
    if layout.metric in names and settings.metric is None:
        return layout.metric, ()
    headline = part(spec, "headline_metric")
    scorer, key = headline.get("scorer"), headline.get("score")
    wanted = {f"{scorer}.{key}", scorer, key}
    numeric = [
        name
        for name in names
        if any(_is_score(of_sample[name][0]) for of_sample in values if name in of_sample)
    ]
    default = next((name for name in numeric if name in wanted), numeric[0] if numeric else None)
    return choose_metric(names, settings.metric, path, default=default)


def _score(value: object, where: str) -> float | None:
    """A value as a number; None for NaN, with which Inspect marks what was not scored."""
    if value is None:
        return None
    number = _number(value)
    if number is None or math.isinf(number):
        raise InputError(
            f"the value {value!r} is neither a finite number nor one of the grades {', '.join(GRADES)}",
            where=where,
            next_step=f"Choose a metric that is a number with {option('metric', 'NAME')}",
        )
    return None if math.isnan(number) else number


def _number(value: object) -> float | None:
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str):
        return None
    grade = GRADES.get(value, GRADES.get(value.lower()))
    try:
        return float(value) if grade is None else grade
    except ValueError:
        return None


def _is_score(value: object) -> bool:
    number = _number(value)
    return number is not None and math.isfinite(number)


def _cause(sample: _Sample, reason: str | None) -> str:
    if message := _message(sample):
        return cause_of(message)
    limit = sample.get("limit")
    if kind := limit.get("type") if isinstance(limit, Mapping) else limit:
        return _LIMITS.get(str(kind), "truncated")
    return str(reason) if reason in CAUSES else _REASONS.get(reason or "", "judge")


def _message(sample: _Sample) -> str:
    error = sample.get("error")
    return str(error.get("message") if isinstance(error, Mapping) else error or "")


def _incomplete(header: _Sample, spec: _Sample, epochs: int, n_samples: int, path: Path) -> tuple[str, ...]:
    notes = []
    ids = part(spec, "dataset").get("sample_ids")
    planned = len(ids) * epochs if isinstance(ids, list) else 0
    if header.get("status") != "success" or n_samples < planned:
        of = f" of {planned}" if planned else ""
        notes.append(
            f"{path.name}: the run ended with status {header.get('status')!r}, {n_samples}{of} samples."
        )
    if header.get("invalidated"):
        notes.append(f"{path.name}: Inspect marks samples as invalid; they are included.")
    return tuple(notes)


def _variant(header: _Sample, spec: _Sample) -> dict[str, str]:
    """How the model was used: solver, arguments of task and model, and settings of generation."""
    solver = spec.get("solver")
    arguments = part(spec, "solver_args")
    steps = arguments.get("solvers")
    if isinstance(steps, list):
        names = [
            entry.get("name")
            for step in steps
            for entry in (step if isinstance(step, list) else [step])
            if isinstance(entry, Mapping)
        ]
        arguments, solver = {}, "+".join(map(str, names)) or solver
    variant = {"solver": shortened(str(solver))} if solver else {}
    for prefix, facts in (
        ("", part(spec, "task_args")),
        ("solver ", arguments),
        ("model ", part(spec, "model_args")),
        ("", part(part(header, "plan"), "config")),
    ):
        variant |= {
            f"{prefix}{name}": shortened(str(value)) for name, value in facts.items() if value is not None
        }
    return variant


def _stamps(spec: _Sample, metric: str) -> dict[str, str]:
    """Versions of the task, its data and Inspect, and what the scorer of a metric was given."""
    scorers = spec.get("scorers")
    named = {
        str(scorer.get("name")).rpartition("/")[2]: part(scorer, "options")
        for scorer in (scorers if isinstance(scorers, list) else ())
        if isinstance(scorer, Mapping)
    }
    scorer = next((name for name in (metric, metric.partition(".")[0]) if name in named), None)
    options = dict(named.get(scorer, {})) if scorer else {}
    judge = options.pop("model", None) or part(part(spec, "model_roles"), "grader").get("model")
    dataset = part(spec, "dataset")
    stamps = {
        "task version": spec.get("task_version"),
        "dataset": dataset.get("location") or dataset.get("name"),
        "inspect_ai": part(spec, "packages").get("inspect_ai"),
        "scorer": scorer,
        "judge": judge,
        "scorer options": sha256_of_json(options)[:12] if options else None,
    }
    return {name: as_text(value) for name, value in stamps.items() if value is not None}


def _scored_errors(spec: _Sample, samples: Iterable[_Sample], answers: Sequence[Answer]) -> tuple[str, ...]:
    """Warn of samples that have a score although they ended with an error, and say who chose that."""
    scores = [
        answer.score
        for sample, answer in zip(samples, answers, strict=True)
        if answer.score is not None and _message(sample)
    ]
    if not scores:
        return ()
    is_chosen = part(spec, "config").get("score_on_error")
    why = "score_on_error is on" if is_chosen else "a scorer ran before the error"
    several = len(scores) > 1
    return (
        f"{len(scores)} {'samples' if several else 'sample'} of {answers[0].model} ended with an error and "
        f"{'count' if several else 'counts'} as scored (mean {sum(scores) / len(scores):.3g}): {why}.",
    )


def _reduced(spec: _Sample, epochs: int, path: Path) -> tuple[str, ...]:
    """Say where Inspect's own figure is no mean over epochs."""
    reducers = part(spec, "config").get("epochs_reducer")
    others = [str(reducer) for reducer in reducers if reducer != "mean"] if isinstance(reducers, list) else []
    if epochs < 2 or not others:
        return ()
    return (
        f"{path.name}: Inspect takes the {epochs} epochs of a sample together by {', '.join(others)}; here "
        "they are replicates, and an item's score is their mean.",
    )


def _limits(values: Sequence[object]) -> tuple[float, float] | None:
    """(0, 1) where all values are grades or truth values."""
    defined = [value for value in values if value is not None and value == value]
    graded = all(
        isinstance(value, bool) or value in GRADES or str(value).lower() in GRADES for value in defined
    )
    return (0.0, 1.0) if defined and graded else None
