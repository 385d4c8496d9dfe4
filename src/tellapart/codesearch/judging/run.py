"""Asking the judge: rounds of questions, verdicts by majority, and what the run's record holds of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.judging.assessment import AssessQuestions, assess_prompt, assessments_from
from tellapart.codesearch.judging.prompts import (
    BATCH,
    NOT_THERE,
    Batch,
    Judgements,
    JudgeQuestions,
    ToJudge,
    gather,
    judge_prompt,
    place_of,
)
from tellapart.codesearch.model import Actionable, Assessment, Case, Failed, JudgeVerdict
from tellapart.core.stats import clustered_rate, mean_once
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.quoting import visible
from tellapart.llm.run_models import RunCalls, prompt_hashes

Attempts = Mapping[tuple[str, str], Sequence[JudgeVerdict]]
"""By conversation and file what each asking said, in their order."""

Verdicts = Mapping[str, Mapping[str, JudgeVerdict]]
"""By conversation and file."""


def attempt_verdicts(batch: Batch, answer: Answer[Judgements]) -> dict[str, JudgeVerdict]:
    """What one asking says of each file of its batch; all of them fail together."""
    if answer.value is None:
        assert answer.failure is not None
        failed = JudgeVerdict(None, failure=Failed.of(answer.failure))
        return dict.fromkeys(batch.files, failed)
    return {
        batch.files[place_of(judged.file)]: JudgeVerdict(
            judged.relevant, judged.actionable, visible(" ".join(judged.reasoning.split()))
        )
        for judged in answer.value.judgements
    }


def is_asked_singly(batch: Batch, answer: Answer[Judgements]) -> bool:
    """Whether each file of a batch is asked about alone, because together they got no usable reply.

    So it is where the provider did reply, or turned down just this question. A call that never came through
    says nothing about the files; it is made again when the run is resumed.
    """
    if answer.failure is None or len(batch.files) == 1:
        return False
    return answer.failure.cause in ("parse", "refusal", "truncated") or answer.failure.kind == "bad_request"


def majority(askings: Sequence[JudgeVerdict]) -> JudgeVerdict:
    """The verdict of most askings that have one."""
    votes = [verdict for verdict in askings if verdict.relevant is not None]
    if not votes:
        return askings[0]
    relevant = 2 * sum(verdict.relevant is True for verdict in votes) > len(votes)
    agreeing = [verdict for verdict in votes if verdict.relevant is relevant]
    counts: Counter[Actionable] = Counter(verdict.actionable for verdict in agreeing)
    return max(agreeing, key=lambda verdict: counts[verdict.actionable])


def by_conversation(askings: Attempts) -> dict[str, dict[str, JudgeVerdict]]:
    """One verdict a file, by conversation; files sorted."""
    verdicts: defaultdict[str, dict[str, JudgeVerdict]] = defaultdict(dict)
    for conversation, file in sorted(askings):
        verdicts[conversation][file] = majority(askings[conversation, file])
    return dict(verdicts)


def repeat_figures(askings: Attempts) -> dict[str, Any]:
    """How far the judge agrees with itself."""
    votes = {
        key: [verdict.relevant for verdict in verdicts if verdict.relevant is not None]
        for key, verdicts in sorted(askings.items())
    }
    repeated = {key: labels for key, labels in votes.items() if len(labels) > 1}
    differ = [_share_of_pairs(labels) for labels in repeated.values()]
    rate = clustered_rate([float(share > 0) for share in differ], [key[0] for key in repeated])
    return {
        "askings": sum(map(len, askings.values())),
        "askings_failed": sum(map(len, askings.values())) - sum(map(len, votes.values())),
        "ties": sum(bool(labels) and 2 * sum(labels) == len(labels) for labels in votes.values()),
        "files_repeated": len(repeated),
        "flip_rate": rate.value,
        "flip_ci": rate.interval and list(rate.interval),
        "disagreement": mean_once(differ),
    }


def _share_of_pairs(votes: Sequence[bool]) -> float:
    yes, pairs = sum(votes), len(votes) * (len(votes) - 1) / 2
    return yes * (len(votes) - yes) / pairs


@dataclass(frozen=True)
class Judging:
    """What the judge said of files.

    Attributes:
        verdicts: Of every file that was to be judged, by conversation.
        figures: Of the judge itself: ``files``, of them ``taken_over``, ``unreadable``, ``not_there`` and
            ``asked_singly``, the last counted once an asking; ``repeats``; and those of ``repeat_figures``.
        models: By the judge's name what the run's record says of it; empty where none was asked.
    """

    verdicts: Verdicts
    figures: Mapping[str, Any]
    models: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Assessing:
    """What the judge said of searches as a whole.

    Attributes:
        assessments: By conversation; empty where no judge was asked.
        models: As for ``Judging``.
    """

    assessments: Mapping[str, Assessment]
    models: Mapping[str, Any] = field(default_factory=dict)


def judge_config(model: LanguageModel | None, *, size: int = BATCH, repeats: int = 1) -> dict[str, Any]:
    """What a run's record says of how the judge is asked: parameters and the hashes of its prompts."""
    if model is None:
        return {"judge": None}
    return {
        "judge": model.requested(),
        "judge_batch": size,
        "judge_repeats": repeats,
        **prompt_hashes({"judge_prompt": judge_prompt(), "assess_prompt": assess_prompt()}),
    }


def judge_cases(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    earlier: Iterable[Case] = (),
    size: int = BATCH,
    repeats: int = 1,
) -> Judging:
    """Have the files judged that only we found, and those of a sample of what nobody returned.

    A batch whose reply cannot be used, even after the repair, is asked about file by file; what fails then
    has the failure as its verdict. So does a file that cannot be shown; one that is not there is not
    relevant.
    """
    to_judge = gather(cases, trees, model, earlier=earlier, size=size, repeats=repeats)
    if taken_over := sum(map(len, to_judge.decided.values())):
        calls.progress(f"taken over from earlier: {taken_over:,} of {len(to_judge.fingerprints):,} verdicts")
    calls.check(model, JudgeQuestions(to_judge, to_judge.batches))
    with calls.opened() as open_calls:

        def ask(batches: Sequence[Batch], how: str) -> list[tuple[Batch, Answer[Judgements]]]:
            answers = open_calls.ask(JudgeQuestions(to_judge, batches), model, label=f"{model.name}, {how}")
            return [(batch, answers.by_id[batch.id]) for batch in batches]

        replies, singles = _in_two_rounds(to_judge.batches, ask)
        record = open_calls.record(model)
    counts = {
        "files": sum(len(case.to_judge) for case in cases),
        "taken_over": taken_over,
        "unreadable": _count(cases, to_judge, NOT_THERE, False),
        "not_there": _count(cases, to_judge, NOT_THERE, True),
        "asked_singly": singles,
        "repeats": repeats,
    }
    verdicts = _with_unreadable(cases, by_conversation(replies), to_judge)
    return Judging(verdicts, {**counts, **repeat_figures(replies)}, {model.name: record})


def assessing_step(model: LanguageModel) -> str:
    """What assessing by a model is called where progress is shown."""
    return f"{model.name}, assessing"


def assess_cases(
    cases: Sequence[Case],
    model: LanguageModel | None,
    repositories: Sequence[str],
    areas: Collection[str],
    calls: RunCalls,
) -> Assessing:
    """Have each search assessed as a whole."""
    if model is None:
        return Assessing({})
    questions = AssessQuestions(cases, repositories, areas)
    calls.check(model, questions)
    with calls.opened() as open_calls:
        answers = open_calls.ask(questions, model, label=assessing_step(model))
        return Assessing(assessments_from(questions, answers.by_id), {model.name: answers.record})


def _in_two_rounds(
    batches: Sequence[Batch],
    ask: Callable[[Sequence[Batch], str], list[tuple[Batch, Answer[Judgements]]]],
) -> tuple[Attempts, int]:
    """Ask in batches, then file by file where that brought nothing; and how often the latter was done."""
    answered = ask(batches, "judging")
    singles = [
        single
        for batch, answer in answered
        if is_asked_singly(batch, answer)
        for single in batch.one_by_one()
    ]
    if singles:
        answered += ask(singles, "judging file by file")
    by_repeat: defaultdict[tuple[str, str], dict[int, JudgeVerdict]] = defaultdict(dict)
    for batch, answer in answered:
        for file, verdict in attempt_verdicts(batch, answer).items():
            by_repeat[batch.case.id, file][batch.repeat] = verdict
    return {
        key: [verdicts[repeat] for repeat in sorted(verdicts)] for key, verdicts in by_repeat.items()
    }, len(singles)


def _count(cases: Sequence[Case], to_judge: ToJudge, kind: str, wanted: bool) -> int:
    alike = {file for file, why in to_judge.unreadable.items() if (why.kind == kind) is wanted}
    return sum((case.base, file) in alike for case in cases for file in case.to_judge)


def _unread(why: Failed) -> JudgeVerdict:
    """The verdict of a file that nobody can read: one that is not there is the search's own mistake."""
    if why.kind == NOT_THERE:
        return JudgeVerdict(False, "no", f"Not put to the judge: {why.detail}")
    return JudgeVerdict(None, failure=why)


def _with_unreadable(
    cases: Sequence[Case], new_verdicts: Verdicts, to_judge: ToJudge
) -> dict[str, dict[str, JudgeVerdict]]:
    """All verdicts, by conversation in order and by file."""
    verdicts = {}
    for case in cases:
        id_ = case.id
        base = case.base
        failed = {
            file: _unread(to_judge.unreadable[base, file])
            for file in case.to_judge
            if (base, file) in to_judge.unreadable
        }
        new = {
            file: replace(verdict, fingerprint=to_judge.fingerprints[id_, file])
            for file, verdict in new_verdicts.get(id_, {}).items()
        }
        verdicts[id_] = dict(sorted({**to_judge.decided[id_], **failed, **new}.items()))
    return verdicts
