"""The suite as a task of Inspect: ``inspect eval tellapart/longcontext -T cases=A.txt,B.txt``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tellapart.errors import UsageError
from tellapart.llm.conversation import Speaker
from tellapart.llm.models import LanguageModel
from tellapart.llm.tasks import ConversationGrade, Task, TaskConversation, conversation_task, task
from tellapart.longcontext.case import AnswerKey, Case, key_of, merged
from tellapart.longcontext.defaults import MAX_TOKENS, TEMPERATURE
from tellapart.longcontext.grading.graders import decide_without_judge, grade_all
from tellapart.longcontext.play import Playing, play
from tellapart.longcontext.reading import read_answers, read_cases
from tellapart.longcontext.transcript import PlayedCase

COLUMNS = {"item": "case", "cluster": "case"}
"""Which metadata of a sample are which columns of a score table."""

_PLAYED = TypeAdapter(PlayedCase)


@task
def longcontext(
    cases: str | Sequence[str] | None = None,
    answers: str | None = None,
    target_tokens: int | None = None,
    fork_probes: bool = False,
) -> Task:
    """Play cases as ``tellapart longcontext run`` plays them, and grade their probes by rules.

    A sample is a case; its score is the mean over its probes. The grade of each is in the score's metadata,
    with the counts of probes without a score by cause. Retries, the log and going on with it are Inspect's;
    there is no journal of ours and no delay between calls. ``--epochs N`` plays everything N times.
    """
    if not cases:
        raise UsageError("no case is given", next_step="Name them: -T cases=A.txt,B.txt")
    paths = cases.split(",") if isinstance(cases, str) else cases
    written = read_cases([Path(path) for path in paths])
    key = key_of(written)
    if answers:
        key = merged(key, read_answers(Path(answers)))
    if not key.by_id and not key.by_case:
        raise UsageError(
            "no right answers are given",
            next_step="Name a file of answers with -T answers=FILE, or cases that hold answers",
        )
    playing = Playing(target_tokens, fork_probes=fork_probes)
    return conversation_task(
        "longcontext",
        [
            TaskConversation(case.name, _played(case, playing), _grading(case, key), {"case": case.name})
            for case in written
        ],
        columns=COLUMNS,
        temperature=TEMPERATURE,
        max_tokens=MAX_TOKENS,
        facts={"grader": "rules", "target_tokens": target_tokens, "fork_probes": fork_probes},
    )


def _played(
    case: Case, playing: Playing
) -> Callable[[LanguageModel, Speaker, int], Awaitable[dict[str, Any]]]:
    async def played(model: LanguageModel, speaker: Speaker, epoch: int) -> dict[str, Any]:
        conversation = await play(case, playing, model, speaker, epoch=epoch)
        record: dict[str, Any] = _PLAYED.dump_python(conversation, by_alias=True)
        return record

    return played


def _grading(case: Case, key: AnswerKey) -> Callable[[dict[str, Any]], ConversationGrade]:
    def grade(record: dict[str, Any]) -> ConversationGrade:
        played = [_PLAYED.validate_python(record)]
        graded = grade_all(decide_without_judge(played, key, {case.name: case}, "rules"))
        scores = [probe.grade.value for probe in graded if probe.grade.value is not None]
        missing = Counter(
            probe.grade.missing or "infeasible" for probe in graded if probe.grade.value is None
        )
        probes = {
            probe.step.id: {
                "category": probe.grade.category,
                "value": probe.grade.value,
                "reason": probe.grade.reason,
                "missing": probe.grade.missing,
            }
            for probe in graded
        }
        mean = sum(scores) / len(scores) if scores else None
        return ConversationGrade(mean, missing, {"probes": probes, "scored": len(scores)})

    return grade
