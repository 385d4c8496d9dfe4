"""The shell of explaining: a run directory with the journal of calls, and learnings with the answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tellapart.codesearch.learning.questions import (
    BATCH,
    ExplainQuestions,
    Explanation,
    Explanations,
    batch_id,
    explain_prompt,
    place_of,
)
from tellapart.core.fingerprint import canonical_json, sha256
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.costs import Estimate
from tellapart.llm.dry_run import foresee
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.quoting import visible
from tellapart.llm.repair import repair_prompt
from tellapart.llm.replay import CALLS
from tellapart.llm.session import ask_all
from tellapart.llm.usable import check_usable
from tellapart.store import OpenRun, is_finished, new_record, run_name, writing
from tellapart.store.growing import PARTIAL

LEARNINGS = "artifacts/learnings.json"
"""The learnings with their explanations, in a run directory."""

_SUITE = "codesearch-learn"
_SENTENCE = "x" * 150

Progress = Callable[[str], None]


def explained(
    learnings: Mapping[str, Any],
    model: LanguageModel,
    *,
    out: Path | None = None,
    limits: Limits = NO_LIMITS,
    seed: int = 42,
    progress: Progress = lambda _: None,
) -> dict[str, Any]:
    """Have a model explain the proposals; facts and proposals stay as they are.

    Args:
        learnings: As `learnings.learnings` gives them.
        model: Who is asked, or the recording that answers in its place.
        out: The run directory; by default ``runs/`` and a name that follows from all else. What was answered
            there is not asked again.
        limits: What that may cost.
        seed: Of the learnings, for the run's record.
        progress: Told how far it is.

    Returns:
        The same learnings with ``explained_by``, the model's name, and ``explanations``: by proposal
        ``explanation``, ``check_first``, ``risk`` and, for its whole batch, ``reasoning``; or the ``failure``
        with ``cause``, ``kind`` and ``detail``. Without proposals nobody is asked.

    Raises:
        OverBudget: The money is used up; what is answered is kept.
        ProviderError: The model would answer nothing at all.
        TellapartError: The model cannot be asked, or the run cannot be used.
    """
    if not learnings["proposals"]:
        progress("there is no proposal to explain")
        return {**learnings, "explained_by": model.name, "explanations": {}}
    config = {
        "model": model.requested(),
        "batch": BATCH,
        "explain_prompt": explain_prompt().sha256,
        "repair_prompt": repair_prompt().sha256,
    }
    inputs = {"learnings": sha256(canonical_json(learnings))}
    path = out or Path("runs") / run_name(_SUITE, config, inputs)
    record = new_record(_SUITE, config, inputs, seed=seed)
    if is_finished(path, record):
        progress(f"this was explained before, see {path}")
        return _kept(path)
    questions = ExplainQuestions(learnings)
    check_usable(model, questions, [path.with_name(path.name + PARTIAL) / CALLS])
    with writing(path, record) as open_run:
        answers, record.models = _ask(open_run, questions, model, limits, progress)
        explanations = _explanations(questions, answers)
        told = {**learnings, "explained_by": model.name, "explanations": explanations}
        open_run.write_json(LEARNINGS, told)
        failed = sum("failure" in one for one in explanations.values())
        record.counts = {"proposals": len(explanations), "failed": failed}
    return _kept(path)


def foresee_explaining(
    learnings: Mapping[str, Any], model: LanguageModel, out: Path | None, limits: Limits
) -> dict[str, Estimate]:
    """Estimate what explaining takes; nothing is sent or written.

    Raises:
        InputError: A journal cannot be read.
    """
    one = Explanation(proposal="1-000000", explanation=_SENTENCE, check_first=_SENTENCE, risk=_SENTENCE)
    most = Explanations(explanations=[one] * BATCH, reasoning=_SENTENCE)
    found = foresee(
        ExplainQuestions(learnings),
        model,
        [out.with_name(out.name + PARTIAL) / CALLS, out / CALLS] if out else [],
        reply_characters=len(most.model_dump_json()),
        price=limits.price_of(model.name),
    )
    return {f"{model.name}, explaining": found}


def _ask(
    open_run: OpenRun,
    questions: ExplainQuestions,
    model: LanguageModel,
    limits: Limits,
    progress: Progress,
) -> tuple[dict[str, Answer[Explanations]], dict[str, dict[str, Any]]]:
    with CallJournal(open_run.path / CALLS) as journal:
        found = ask_all(
            questions,
            model,
            journal,
            logs=open_run.path / "artifacts" / "inspect",
            limits=limits,
            progress=progress,
            label=f"{model.name}, explaining",
        )
        return dict(found.by_id), {model.name: found.record}


def _explanations(
    questions: ExplainQuestions, answers: Mapping[str, Answer[Explanations]]
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for number, batch in enumerate(questions.batches):
        answer = answers[batch_id(number)]
        if answer.value is None:
            failure = asdict(answer.failure) if answer.failure else {}
            found |= {proposal["id"]: {"failure": failure} for proposal in batch}
            continue
        said = {place_of(one.proposal): one for one in answer.value.explanations}
        for place, proposal in enumerate(batch):
            own = said[place].model_dump(exclude={"proposal"}) | {"reasoning": answer.value.reasoning}
            found[proposal["id"]] = {name: _line(text) for name, text in own.items()}
    return found


def _line(text: str) -> str:
    return visible(" ".join(text.split()))


def _kept(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((path / LEARNINGS).read_text(encoding="utf-8"))
    return told
