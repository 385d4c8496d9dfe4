"""The shell of the judge: the journal of calls, Inspect's logs, and what the run's record says of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tellapart.codesearch.case import Assessment, Case, Verdict
from tellapart.codesearch.failed import Failed
from tellapart.codesearch.judging.assessing import AssessQuestions, assess_prompt, assessments_from
from tellapart.codesearch.judging.questions import (
    BATCH,
    Batch,
    Judgements,
    JudgeQuestions,
    ToJudge,
    gather,
    judge_prompt,
)
from tellapart.codesearch.judging.showing import NOT_THERE
from tellapart.codesearch.judging.verdicts import (
    Askings,
    Verdicts,
    asking_verdicts,
    by_conversation,
    is_asked_singly,
    repeat_figures,
    taken_over,
)
from tellapart.codesearch.repositories import Repositories
from tellapart.llm.budget import NO_LIMITS, Limits
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer
from tellapart.llm.repair import repair_prompt
from tellapart.llm.replay import CALLS, calls_file
from tellapart.llm.session import ask_all
from tellapart.llm.usable import check_usable

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Judging:
    """What the judge said of files.

    Attributes:
        verdicts: Of every file that only we found, by conversation; none of those without a verdict where no
            judge was asked.
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
        "judge_prompt": judge_prompt().sha256,
        "assess_prompt": assess_prompt().sha256,
        "repair_prompt": repair_prompt().sha256,
    }


def check_judge(model: LanguageModel | None, directory: Path, *, reuse: Path | None = None) -> None:
    """See that the judge can be asked, before anything dear is begun; what it will be asked is not known yet.

    Raises:
        MissingExtra: Inspect is not installed.
        UsageError: The provider is unknown, or lacks its key or its package.
        InputError: A journal cannot be read.
    """
    if model is not None:
        check_usable(model, None, journals_of(directory, reuse))


def journals_of(directory: Path, reuse: Path | None) -> list[Path]:
    """Journals of calls that are read: of the run, and of one that is taken over."""
    return [directory / CALLS, *([calls_file(reuse)] if reuse else [])]


def judge_cases(
    cases: Sequence[Case],
    model: LanguageModel | None,
    repositories: Repositories,
    directory: Path,
    *,
    limits: Limits = NO_LIMITS,
    progress: Progress = lambda _: None,
    reuse: Path | None = None,
    earlier: Sequence[Case] = (),
    size: int = BATCH,
    repeats: int = 1,
) -> Judging:
    """Have the files judged that only we found; what is answered in ``directory`` is not asked again.

    A batch whose reply cannot be used, even after the repair, is asked about file by file; what fails then
    has the failure as its verdict. So does a file that cannot be shown; one that is not there is not
    relevant.

    Args:
        cases: The conversations, explored.
        model: The judge, or the recording that answers in its place; None asks nobody.
        repositories: Where the files are.
        directory: Of the run; it keeps ``calls.jsonl`` and ``artifacts/inspect``.
        limits: What that may cost, and how many calls run at the same time.
        progress: Told how far it is.
        reuse: An earlier run, or its journal of calls; what was answered there is not asked again.
        earlier: Cases of an earlier evaluation, whose verdicts hold; see ``taken_over``.
        size: Files in one question, at least 1.
        repeats: How often each file is judged, at least 1.

    Raises:
        OverBudget: The money is used up; what is answered is kept.
        ProviderError: The judge would answer nothing at all.
        TellapartError: The judge cannot be asked, or a journal cannot be used.
    """
    known = taken_over(cases, earlier)
    counts = {
        "files": sum(len(case.our_unique) for case in cases),
        "taken_over": sum(map(len, known.values())),
    }
    if model is None:
        return Judging(
            known,
            {
                **counts,
                "unreadable": 0,
                "not_there": 0,
                "asked_singly": 0,
                "repeats": 0,
                **repeat_figures({}),
            },
        )
    to_judge = gather(cases, repositories, known=known, size=size, repeats=repeats)
    check_usable(model, JudgeQuestions(to_judge, to_judge.batches), journals_of(directory, reuse))
    with CallJournal(directory / CALLS) as journal:

        def ask(batches: Sequence[Batch], how: str) -> list[tuple[Batch, Answer[Judgements]]]:
            found = ask_all(
                JudgeQuestions(to_judge, batches),
                model,
                journal,
                logs=directory / "artifacts" / "inspect",
                limits=limits,
                reuse=reuse,
                progress=progress,
                label=f"{model.name}, {how}",
            )
            return [(batch, found.by_id[batch.id]) for batch in batches]

        said, singles = _in_two_rounds(to_judge.batches, ask)
        record = journal.models[model.name].record(limits.price_of(model.name))
    counts |= {
        "unreadable": _count(cases, to_judge, NOT_THERE, False),
        "not_there": _count(cases, to_judge, NOT_THERE, True),
        "asked_singly": singles,
        "repeats": repeats,
    }
    verdicts = _with_unreadable(cases, known, by_conversation(said), to_judge)
    return Judging(verdicts, {**counts, **repeat_figures(said)}, {model.name: record})


def assess_cases(
    cases: Sequence[Case],
    model: LanguageModel | None,
    repositories: Sequence[str],
    areas: Collection[str],
    directory: Path,
    *,
    limits: Limits = NO_LIMITS,
    progress: Progress = lambda _: None,
    reuse: Path | None = None,
) -> Assessing:
    """Have each search assessed as a whole; what is answered in ``directory`` is not asked again.

    Args:
        cases: The conversations, explored.
        model: As for ``judge_cases``.
        repositories: Names of the approved ones.
        areas: Product areas to choose from; ``uncertain`` is always one.
        directory: As for ``judge_cases``.
        limits: As for ``judge_cases``.
        progress: As for ``judge_cases``.
        reuse: As for ``judge_cases``.

    Raises:
        OverBudget: The money is used up; what is answered is kept.
        ProviderError: The judge would answer nothing at all.
        TellapartError: The judge cannot be asked, or a journal cannot be used.
    """
    if model is None:
        return Assessing({})
    questions = AssessQuestions(cases, repositories, areas)
    check_usable(model, questions, journals_of(directory, reuse))
    with CallJournal(directory / CALLS) as journal:
        found = ask_all(
            questions,
            model,
            journal,
            logs=directory / "artifacts" / "inspect",
            limits=limits,
            reuse=reuse,
            progress=progress,
            label=f"{model.name}, assessing",
        )
        return Assessing(assessments_from(questions, found.by_id), {model.name: found.record})


def _in_two_rounds(
    batches: Sequence[Batch],
    ask: Callable[[Sequence[Batch], str], list[tuple[Batch, Answer[Judgements]]]],
) -> tuple[Askings, int]:
    """Ask in batches, then file by file where that brought nothing; and how often the latter was done."""
    answered = ask(batches, "judging")
    singles = [
        one for batch, answer in answered if is_asked_singly(batch, answer) for one in batch.one_by_one()
    ]
    if singles:
        answered += ask(singles, "judging file by file")
    found: defaultdict[tuple[str, str], dict[int, Verdict]] = defaultdict(dict)
    for batch, answer in answered:
        for file, verdict in asking_verdicts(batch, answer).items():
            found[batch.case.conversation.id, file][batch.repeat] = verdict
    return {key: [own[repeat] for repeat in sorted(own)] for key, own in found.items()}, len(singles)


def _count(cases: Sequence[Case], to_judge: ToJudge, kind: str, wanted: bool) -> int:
    alike = {file for file, why in to_judge.unreadable.items() if (why.kind == kind) is wanted}
    return sum(len(case.our_unique & alike) for case in cases)


def _unread(why: Failed) -> Verdict:
    """The verdict of a file that nobody can read: one that is not there is the search's own mistake."""
    if why.kind == NOT_THERE:
        return Verdict(False, "no", f"Not put to the judge: {why.detail}")
    return Verdict(None, failure=why)


def _with_unreadable(
    cases: Sequence[Case], known: Verdicts, said: Verdicts, to_judge: ToJudge
) -> dict[str, dict[str, Verdict]]:
    """All verdicts, by conversation in order and by file."""
    found = {}
    for case in cases:
        id_ = case.conversation.id
        failed = {
            file: _unread(to_judge.unreadable[file]) for file in case.our_unique & to_judge.unreadable.keys()
        }
        found[id_] = dict(sorted({**known[id_], **failed, **said.get(id_, {})}.items()))
    return found
