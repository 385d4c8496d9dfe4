"""All tasks: what a conversation can ask for."""

from __future__ import annotations

from collections.abc import Mapping

from tellapart.errors import UsageError, near_match
from tellapart.longcontext.generating.abstention import abstention
from tellapart.longcontext.generating.contradiction import contradiction
from tellapart.longcontext.generating.counting import counting
from tellapart.longcontext.generating.distribution import distribution
from tellapart.longcontext.generating.event_order import event_order
from tellapart.longcontext.generating.multi_hop import multi_hop
from tellapart.longcontext.generating.needles import needles
from tellapart.longcontext.generating.questions import Task, at_each_depth
from tellapart.longcontext.generating.retrieval import multi_key, multi_query, multi_value
from tellapart.longcontext.generating.updates import updates
from tellapart.longcontext.generating.variables import variables
from tellapart.longcontext.generating.word_lists import WordList, common_words, frequent_words

NEEDLES = "needles"
"""The task where none is named."""

TASKS: Mapping[str, Task] = {
    NEEDLES: needles,
    "multi-key": at_each_depth(multi_key),
    "multi-value": at_each_depth(multi_value),
    "multi-query": at_each_depth(multi_query),
    "variables": at_each_depth(variables),
    "updates": at_each_depth(updates),
    "abstention": at_each_depth(abstention),
    "multi-hop": at_each_depth(multi_hop),
    "counting": at_each_depth(counting),
    "contradiction": at_each_depth(contradiction),
    "event-order": at_each_depth(event_order),
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
