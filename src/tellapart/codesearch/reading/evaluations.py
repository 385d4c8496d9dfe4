"""``evaluation.json`` read back: those that we write, exactly, and those of other pipelines."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
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

_COMPUTED = ("metrics", "gold", "warnings", UNUSABLE)


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
    Of another pipeline's, verdicts with the documented fallback text or an ``error`` become failures. Unknown
    fields of the file are kept in ``facts`` under their names.
    """
    envelope = open_envelope(text, where)
    expect("an evaluation", envelope, where)
    ours = UNUSABLE in envelope.further

    def build(form: EvaluatedForm) -> tuple[Case, list[str]]:
        return _case(form, approved, ours)

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
        _facts(envelope),
        tuple(notes),
    )


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


def _facts(envelope: Envelope) -> dict[str, Any] | None:
    return {name: value for name, value in envelope.further.items() if name not in _COMPUTED} or None
