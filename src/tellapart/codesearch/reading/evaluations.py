"""``evaluation.json`` read back: those that we write, exactly, and those of other pipelines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from tellapart.codesearch.case import (
    RECORDED,
    Assessment,
    Case,
    Explored,
    Failed,
    Gold,
    JudgeVerdict,
    SearchResult,
    Snippet,
)
from tellapart.codesearch.evaluation import NOT_JUDGED, Evaluation, evaluation_file
from tellapart.codesearch.reading.envelope import (
    UNUSABLE,
    Envelope,
    expect,
    left_out_before,
    open_envelope,
    read_each,
)
from tellapart.codesearch.reading.forms import (
    AssessmentForm,
    EvaluatedForm,
    FailureForm,
    GoldForm,
    JudgementForm,
    RunForm,
    SnippetForm,
)
from tellapart.codesearch.reading.paths import normalised
from tellapart.codesearch.reading.searches import conversation_of, paths_of, snippet_of
from tellapart.codesearch.secret_files import without_secret_texts
from tellapart.core.scores import CAUSES
from tellapart.errors import InputError
from tellapart.files import read_bytes

RECORDED_FIELD = "recorded"
"""Where another pipeline's figures and further fields are kept, in ``facts``."""

_COMPUTED = ("metrics", "gold", "warnings", UNUSABLE)
_DERIVED = ("ground_truth_files", "intersection", "our_unique", "ground_truth_unique", "calibration_data")
"""Fields of a conversation that follow from its runs and our files."""

_HALF = 0.0005 + 1e-9
"""By how much a figure may differ that agrees to the third decimal."""


def evaluation_at(path: Path) -> Evaluation:
    """Read the evaluation that a path names."""
    file = evaluation_file(path)
    return read_evaluation(read_bytes(file), where=str(file))


def read_evaluation(
    text: str | bytes,
    *,
    approved: Collection[str] | None = None,
    where: str = "standard input",
    iteration: int | None = None,
) -> Evaluation:
    """Read an evaluation, with everything that its figures can be made from again.

    Of our own (they have ``unusable_conversations``), every field of every case comes back as it was written.
    Of another pipeline's, verdicts with the documented fallback text or an ``error`` become failures, and
    what we do not compute is kept in ``facts``: unknown fields of the file under their names, its figures and
    the unknown fields of conversations and runs under ``recorded``.
    """
    envelope = open_envelope(text, where)
    expect("an evaluation", envelope, where)
    ours = UNUSABLE in envelope.further
    leftovers: dict[str, dict[str, Any]] = {}

    def build(form: EvaluatedForm) -> tuple[Case, list[str]]:
        case, notes = _case(form, approved, ours)
        leftovers[case.conversation.id] = _leftovers(form)
        return case, notes

    cases, unusable, notes = read_each(envelope.conversations, EvaluatedForm, build, where)
    number = iteration or envelope.iteration
    if iteration and envelope.iteration not in (None, iteration):
        notes.append(f"it says that it is iteration {envelope.iteration}, and is taken as {iteration}")
    if number is None:
        notes.append("it does not say its iteration, which is taken as 1: calibration depends on it")
    return Evaluation(
        number or 1,
        envelope.timestamp,
        tuple(cases),
        (*left_out_before(envelope), *unusable),
        _facts(envelope, {} if ours else leftovers),
        (*envelope.notes, *_documented_notes(envelope, cases), *notes),
    )


def _documented_notes(envelope: Envelope, cases: Sequence[Case]) -> list[str]:
    """Name figures of the documented blocks that the recorded conversations contradict."""
    metrics = envelope.further.get("metrics")
    aggregate, calibration = (_part(metrics, name) for name in ("aggregate", "calibration"))
    notes = []
    for name in ("precision", "recall"):
        stated = _number(aggregate, name)
        each = [_number(_part(given), name) for given in envelope.conversations]
        values = [value for value in each if value is not None]
        # Both the mean and the values that it is made from are rounded.
        whole = stated is not None and len(values) == len(each)
        if stated is not None and whole and abs(fmean(values) - stated) > 2 * _HALF:
            notes.append(f"its {name} is {stated:g}, the mean of its conversations is {fmean(values):.3f}")
    stated, both = _number(calibration, "overlap_rate"), sum(len(case.in_both_runs) for case in cases)
    found_by_a = sum(len(case.run_a.files) for case in cases)
    overlap = both / found_by_a if found_by_a else 0.0
    whole = len(cases) == len(envelope.conversations)
    if whole and stated is not None and abs(overlap - stated) > _HALF:
        notes.append(f"its overlap rate is {stated:g}, its runs give {both} / {found_by_a} = {overlap:.3f}")
    return notes


def _part(value: Any, name: str | None = None) -> Mapping[str, Any]:
    inner = value.get(name) if name is not None and isinstance(value, Mapping) else value
    return inner if isinstance(inner, Mapping) else {}


def _number(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _case(form: EvaluatedForm, approved: Collection[str] | None, ours: bool) -> tuple[Case, list[str]]:
    paths = paths_of(form.our_files, approved)
    snippets, of_snippets = _snippets(form.snippets, approved)
    result = SearchResult(
        paths.files,
        tuple(without_secret_texts(form.search_terms_used)[0]),
        snippets,
        _tuples(form.terms_by_file),
        form.search_duration_ms,
    )
    run_a, notes_a = _explored("run A", form.run_a, approved)
    run_b, notes_b = _explored("run B", form.run_b, approved)
    again = {
        name: _explored(name, run, approved)[0] if run else None
        for name, run in (("retest_a", form.retest_a), ("retest_b", form.retest_b))
    }
    verdicts, notes = _verdicts(form.our_unique_judgments, approved, ours)
    case = Case(
        conversation_of(form),
        result,
        run_a,
        run_b,
        verdicts,
        **again,
        assessment=_assessment(form.assessment),
        terms_in_files=_tuples(form.terms_in_files),
        gold=_gold(form.gold),
    )
    return case, [*(f"our files: {note}" for note in paths.notes), *of_snippets, *notes_a, *notes_b, *notes]


def _snippets(
    forms: Sequence[SnippetForm], approved: Collection[str] | None
) -> tuple[tuple[Snippet, ...], list[str]]:
    snippets, faults = [], []
    for form in forms:
        try:
            snippets.append(snippet_of(form, approved))
        except InputError as error:
            faults.append(error.what)
    notes = (
        [f"left out {len(faults)} of {len(forms)} snippets, the first since {faults[0]}"] if faults else []
    )
    return tuple(snippets), notes


def _assessment(form: AssessmentForm | None) -> Assessment | None:
    if form is None:
        return None
    return Assessment(form.scores, form.product_area, form.reasoning, _failure(form))


def _gold(form: GoldForm | None) -> Gold | None:
    if form is None:
        return None
    return Gold(tuple(form.files), tuple(form.absent), form.left_out)


def _tuples(by_file: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {file: tuple(terms) for file, terms in by_file.items()}


def _explored(name: str, form: RunForm, approved: Collection[str] | None) -> tuple[Explored, list[str]]:
    paths = paths_of(form.files_found, approved)
    notes = [f"{name}: {note}" for note in paths.notes]
    message = _message(form.error)
    failure: Failed | None = None
    if form.error_cause is not None:
        failure = Failed(_cause(form.error_cause, "provider"), form.error_kind, message)
    elif message:
        failure = Failed("provider", RECORDED, message)
        if paths.files:
            notes.append(
                f"{name} failed, {message[:60]!r}, and has {len(paths.files)} file(s), which are kept"
            )
    return Explored(form.model or "unknown", paths.files, failure), notes


def _verdicts(
    forms: Sequence[JudgementForm], approved: Collection[str] | None, ours: bool
) -> tuple[dict[str, JudgeVerdict], list[str]]:
    verdicts: dict[str, JudgeVerdict] = {}
    notes: list[str] = []
    refused, again = [], []
    for form in forms:
        try:
            file = normalised(form.file, approved)
        except InputError as error:
            refused.append(error.what)
            continue
        if file in verdicts:
            again.append(file)
        verdicts.setdefault(file, _verdict(form, ours))
    if refused:
        notes.append(f"left out {len(refused)} of {len(forms)} verdicts, the first since {refused[0]}")
    if again:
        notes.append(f"{len(again)} verdict(s) on files that have one already are left out, {again[0]!r}")
    return verdicts, notes


def _verdict(form: JudgementForm, ours: bool) -> JudgeVerdict:
    reasoning = form.reasoning or ""
    failure = _failure(form)
    fallback = not ours and not form.relevant and reasoning.strip() == NOT_JUDGED
    if failure is None and (form.relevant is None or form.error or fallback):
        failure = Failed("judge", RECORDED, _message(form.error) or reasoning or "no verdict is recorded")
    if failure:
        return JudgeVerdict(None, form.actionable, "", failure)
    return JudgeVerdict(form.relevant, form.actionable, reasoning, fingerprint=form.fingerprint)


def _message(error: Any) -> str:
    """A recorded error in words; empty without one."""
    return error if isinstance(error, str) else json.dumps(error) if error else ""


def _failure(form: FailureForm) -> Failed | None:
    if form.failed_cause is None:
        return None
    return Failed(_cause(form.failed_cause, "judge"), form.failed_kind, form.failed_detail)


def _cause(recorded: str, otherwise: str) -> str:
    return recorded if recorded in CAUSES else otherwise


def _leftovers(form: EvaluatedForm) -> dict[str, Any]:
    """What of a conversation's fields has no place in a case, its figures included."""
    extra_fields = {name: value for name, value in (form.model_extra or {}).items() if name not in _DERIVED}
    runs = {"run_a": form.run_a.model_extra, "run_b": form.run_b.model_extra}
    judged = {judgement.file: judgement.model_extra for judgement in form.our_unique_judgments}
    further = {name: extra for name, extra in runs.items() if extra}
    extras = {file: extra for file, extra in judged.items() if extra}
    return extra_fields | further | ({"our_unique_judgments": extras} if extras else {})


def _facts(envelope: Envelope, leftovers: Mapping[str, Any]) -> dict[str, Any] | None:
    facts = {name: value for name, value in envelope.further.items() if name not in _COMPUTED}
    if leftovers and RECORDED_FIELD not in facts:
        computed = {name: envelope.further[name] for name in _COMPUTED if name in envelope.further}
        facts[RECORDED_FIELD] = {**computed, "conversations": dict(leftovers)}
    return facts or None
