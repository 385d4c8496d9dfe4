"""Asking the judge: rounds of questions, a verdict for each file, and what that may cost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tellapart.codesearch.base_trees import Trees
from tellapart.codesearch.judging.assessment import (
    DIMENSIONS,
    assess_prompt,
    assess_questions,
    assessments_from,
)
from tellapart.codesearch.judging.prompts import (
    BATCH,
    NOT_THERE,
    Batch,
    FileJudgement,
    Judgements,
    gather,
    judge_prompt,
    judge_questions,
    place_of,
)
from tellapart.codesearch.model import Assessment, Case, Explored, Failed, JudgeVerdict, Searched
from tellapart.llm.costs import Estimate
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.quoting import visible
from tellapart.llm.run_models import RunCalls, prompt_hashes

_SENTENCE = "x" * 120
"""As long as a sentence of twenty words."""

_FILES_OF_A_RUN = 40
"""Files that an exploration finds; recorded ones of agents have 26 to 52."""


@dataclass(frozen=True)
class Judging:
    """Verdicts by conversation and file, counts of what was asked, and the run's record of the judge."""

    verdicts: Mapping[str, Mapping[str, JudgeVerdict]]
    figures: Mapping[str, int]
    models: Mapping[str, Any] = field(default_factory=dict)


def judge_config(model: LanguageModel | None) -> dict[str, Any]:
    """What a run's record says of how the judge is asked: parameters and the hashes of its prompts."""
    if model is None:
        return {"judge": None}
    prompts = {"judge_prompt": judge_prompt(), "assess_prompt": assess_prompt()}
    return {"judge": model.requested(), "judge_batch": BATCH, **prompt_hashes(prompts)}


def judge_cases(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    earlier: Iterable[Case] = (),
) -> Judging:
    """Have the files judged that only we found, and those of a sample of what nobody returned.

    A batch whose reply cannot be used, even after the repair, is asked about file by file; what fails then
    has the failure as its verdict. So does a file that cannot be shown; one that is not there is not
    relevant.
    """
    to_judge = gather(cases, trees, model, earlier=earlier)
    taken_over = len(to_judge.decided)
    if taken_over:
        calls.progress(f"taken over from earlier: {taken_over:,} of {len(to_judge.fingerprints):,} verdicts")
    calls.check(model, judge_questions(to_judge, to_judge.batches))
    with calls.opened() as open_calls:

        def ask(batches: Sequence[Batch], how: str) -> list[tuple[Batch, Answer[Judgements]]]:
            questions = judge_questions(to_judge, batches)
            answers = open_calls.ask(questions, model, label=f"{model.name}, {how}")
            return [(batch, answers.by_id[batch.id]) for batch in batches]

        answered = ask(to_judge.batches, "judging")
        again = [batch for batch, answer in answered if is_asked_singly(batch, answer)]
        singles = [single for batch in again for single in batch.one_by_one()]
        answered += ask(singles, "judging file by file") if singles else []
        record = open_calls.record(model)
    hidden = {case.id: to_judge.hidden(case) for case in cases}
    gone = sum(why.kind == NOT_THERE for of_case in hidden.values() for why in of_case.values())
    figures = {
        "files": sum(len(case.to_judge) for case in cases),
        "taken_over": taken_over,
        "unreadable": sum(map(len, hidden.values())) - gone,
        "not_there": gone,
        "asked_singly": len(singles),
    }
    verdicts = {id_: {file: _unshown(why) for file, why in of.items()} for id_, of in hidden.items()}
    for (id_, file), verdict in to_judge.decided.items():
        verdicts[id_][file] = verdict
    for batch, answer in answered:
        for file, verdict in verdicts_of(batch, answer).items():
            fingerprint = to_judge.fingerprints[batch.case.id, file]
            verdicts[batch.case.id][file] = replace(verdict, fingerprint=fingerprint)
    in_order = {id_: dict(sorted(of_case.items())) for id_, of_case in verdicts.items()}
    return Judging(in_order, figures, {model.name: record})


def _unshown(why: Failed) -> JudgeVerdict:
    """The verdict on a file that nobody was shown; one that is not there is the search's own mistake."""
    if why.kind == NOT_THERE:
        return JudgeVerdict(False, "no", f"Not put to the judge: {why.detail}")
    return JudgeVerdict(None, failure=why)


def is_asked_singly(batch: Batch, answer: Answer[Judgements]) -> bool:
    """Whether each file of a batch is asked about alone, because together they got no usable reply.

    So it is where the provider did reply, or turned down just this question. A call that never came through
    says nothing about the files; it is made again when the run is resumed.
    """
    if answer.failure is None or len(batch.files) == 1:
        return False
    return answer.failure.cause in ("parse", "refusal", "truncated") or answer.failure.kind == "bad_request"


def verdicts_of(batch: Batch, answer: Answer[Judgements]) -> dict[str, JudgeVerdict]:
    """The verdict on each file of a batch; all of them fail together."""
    if answer.value is None:
        assert answer.failure is not None
        return dict.fromkeys(batch.files, JudgeVerdict(None, failure=Failed.of(answer.failure)))
    return {
        batch.files[place_of(judged.file)]: JudgeVerdict(
            judged.relevant, judged.actionable, visible(" ".join(judged.reasoning.split()))
        )
        for judged in answer.value.judgements
    }


def assessing_step(model: LanguageModel) -> str:
    """What assessing by a model is called where progress is shown."""
    return f"{model.name}, assessing"


def assess_cases(
    cases: Sequence[Case],
    model: LanguageModel,
    repositories: Sequence[str],
    areas: Collection[str],
    calls: RunCalls,
) -> tuple[dict[str, Assessment], dict[str, Any]]:
    """Have each search assessed as a whole: assessments by conversation, and what the record says of that."""
    questions = assess_questions(cases, repositories, areas)
    calls.check(model, questions)
    with calls.opened() as open_calls:
        answers = open_calls.ask(questions, model, label=assessing_step(model))
    return assessments_from(cases, areas, answers.by_id), {model.name: answers.record}


def unexplored(searched: Sequence[Searched]) -> list[Case]:
    """Stand-ins for conversations that nobody has explored yet, to estimate what judging them costs.

    No exploration finds any of our files in them, so that all of these are put to the judge. That is the most
    there can be, and not far from what searches with much noise come to: in a recorded pipeline 98 % of the
    files were its own. The ground truth is ``_FILES_OF_A_RUN`` paths of usual length.
    """
    paths = tuple(f"an/unexplored/place/of/ordinary/length/number_{i:03}" for i in range(_FILES_OF_A_RUN))
    return [Case.of(search, Explored("none", paths), Explored("none", paths)) for search in searched]


def estimate_judging_cost(
    cases: Sequence[Case],
    model: LanguageModel,
    trees: Trees,
    calls: RunCalls,
    *,
    areas: Collection[str] | None = None,
    earlier: Sequence[Case] = (),
) -> dict[str, Estimate]:
    """Estimate what it takes to judge, and to assess; see ``judge_cases`` and ``assess_cases``.

    What is asked file by file, because a batch had no usable reply, is in neither figure.
    """
    to_judge = gather(cases, trees, model, earlier=earlier)
    questions = judge_questions(to_judge, to_judge.batches)
    files = sum(len(batch.files) for batch in to_judge.batches) / max(len(questions), 1)
    judgement = FileJudgement(file="1-000000", relevant=False, actionable="maybe", reasoning=_SENTENCE)
    around = len(Judgements(judgements=[]).model_dump_json())
    characters = round(around + files * (len(judgement.model_dump_json()) + 1))
    estimates = {f"{model.name}, judging": calls.estimate(questions, model, reply_characters=characters)}
    if areas is not None:
        estimates[assessing_step(model)] = calls.estimate(
            assess_questions(cases, trees.names, areas),
            model,
            reply_characters=sum(len(name) + 6 for name in DIMENSIONS) + 2 * len(_SENTENCE),
        )
    return estimates
