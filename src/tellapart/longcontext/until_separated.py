"""Cases played in random order until models are told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tellapart.core.asking_order import asking_order
from tellapart.core.comparison import LookPlan, are_told_apart
from tellapart.core.score_notes import Looks
from tellapart.core.scores import ScoreTable
from tellapart.errors import UsageError
from tellapart.llm.models import LanguageModel
from tellapart.llm.systems import System
from tellapart.longcontext.case import AnswerKey, Case
from tellapart.longcontext.grading.graders import decide_without_judge, grade_all
from tellapart.longcontext.score_table import score_rows
from tellapart.longcontext.transcript import PlayedCase

Hold = Callable[[LanguageModel | System, Sequence[Case]], list[PlayedCase]]
"""Plays cases against a model, and gives the conversations."""


def check_until_separated(
    cases: Sequence[Case], models: Sequence[LanguageModel | System], key: AnswerKey
) -> None:
    """See that there is something to stop by."""
    if len(models) < 2:
        raise UsageError(
            "--until-separated plays cases until models are told apart, and there are no two models",
            next_step="Name two: --model PROVIDER/MODEL --model PROVIDER/MODEL",
        )
    if not any(key.expected(case.name, probe.id) for case in cases for probe in case.probes):
        raise UsageError(
            "--until-separated grades answers as they come, and no right answers are given",
            next_step="Name a file of them with --answers",
        )


def play_until_separated(
    cases: Sequence[Case], models: Sequence[LanguageModel | System], key: AnswerKey, hold: Hold
) -> tuple[list[PlayedCase], Looks]:
    """Play cases, all models the same ones, until every two models are told apart by the rules' grades."""
    by_name = {case.name: case for case in cases}
    order = [by_name[name] for name in asking_order(list(by_name), seed=0)]
    items = [[f"{case.name}/{probe.id}" for probe in case.probes] for case in order]
    plan = LookPlan(max(sum(map(len, items)), 2))
    held: dict[str, list[PlayedCase]] = {model.name: [] for model in models}
    item_ids: list[str] = []
    is_decided, played = False, 0
    while not is_decided and played < len(order):
        until, start = plan.next_size(len(item_ids)) or plan.max_items, played
        while played < len(order) and len(item_ids) < until:
            item_ids += items[played]
            played += 1
        for model in models:
            held[model.name] += hold(model, order[start:played])
        conversations = [conversation for of in held.values() for conversation in of]
        graded = grade_all(decide_without_judge(conversations, key, by_name, "rules"))
        is_decided = are_told_apart(ScoreTable.from_frame(score_rows(graded, key)), item_ids, plan)
    looks = Looks(max_items=plan.max_items, order=tuple(item_ids))
    return [conversation for conversations in held.values() for conversation in conversations], looks
