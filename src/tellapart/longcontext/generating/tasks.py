"""All tasks: what a conversation can ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tellapart.errors import UsageError, near_match
from tellapart.longcontext.generating.contradiction import contradiction
from tellapart.longcontext.generating.distribution import distribution
from tellapart.longcontext.generating.event_order import event_order
from tellapart.longcontext.generating.everyday import abstention, counting, multi_hop, updates
from tellapart.longcontext.generating.needles import RECALL, TRAP, Needle, needle, trap
from tellapart.longcontext.generating.questions import Draft, Placed, Task, TaskQuestion
from tellapart.longcontext.generating.retrieval import multi_key, multi_query, multi_value
from tellapart.longcontext.generating.variables import variables
from tellapart.longcontext.generating.word_lists import WordList, common_words, frequent_words

NEEDLES = "needles"
"""The task where none is named."""


def needles(draft: Draft) -> list[TaskQuestion]:
    """Ask for single facts, each at its depth among its distractors, and for things that were never said."""
    design, rng, unused = draft.design, draft.rng, draft.unused
    depths = draft.depths()
    # The kinds take turns, and no depth has always the same.
    facts = [needle(i + draft.number, design.distractors, unused, rng) for i in range(len(depths))]
    traps = [trap(i + draft.number, design.distractors, unused, rng) for i in range(design.traps)]
    stated = [
        _question(fact, [Placed(depth, fact.sentence or "")], draft)
        for depth, fact in zip(depths, facts, strict=True)
    ]
    return [*stated, *(_question(never, [], draft) for never in traps)]


def _question(fact: Needle, placed: Sequence[Placed], draft: Draft) -> TaskQuestion:
    # A made-up name has no other form; code compares numbers and dates in whatever form they have.
    rule = "abstention" if fact.sentence is None else "facts" if re.search(r"\d", fact.answer) else "match"
    return TaskQuestion(
        fact.question,
        fact.answer,
        f"{TRAP if fact.sentence is None else RECALL} - {fact.kind}",
        rule,
        () if fact.sentence is None else (fact.sentence,),
        (*placed, *map(draft.anywhere, fact.distractors)),
    )


TASKS: Mapping[str, Task] = {
    NEEDLES: needles,
    "multi-key": multi_key,
    "multi-value": multi_value,
    "multi-query": multi_query,
    "variables": variables,
    "updates": updates,
    "abstention": abstention,
    "multi-hop": multi_hop,
    "counting": counting,
    "contradiction": contradiction,
    "event-order": event_order,
    "distribution": distribution,
}
"""Tasks whose facts stand in filler, by name."""

WORD_LISTS: Mapping[str, WordList] = {"common-words": common_words, "frequent-words": frequent_words}
"""Tasks of which the whole conversation is a list."""

FEWEST_MESSAGES: Mapping[str, int] = {"multi-hop": 2}
"""Messages that a conversation needs, of tasks that need more than one."""


def check_task(name: str) -> None:
    """Check that there is a task of this name."""
    names = (*TASKS, *WORD_LISTS)
    if name not in names:
        raise UsageError(f"there is no task {name!r}", next_step=near_match(name, names))
