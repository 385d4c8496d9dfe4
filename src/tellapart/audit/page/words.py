"""What causes, actions, flags and parts of the variance are called, and how scores are shown."""

from __future__ import annotations

from tellapart.audit.page.parts import OpenEnds
from tellapart.audit.page.record import View
from tellapart.report.comparison import Scale

SIGNS = {"a>b": ">", "b>a": ">", "equivalent": "=", "not_separated": "?", "withheld": "!"}
"""Between the two models of a pair, the one ahead first."""

CAUSES = {
    "ceiling": "the items are too easy",
    "floor": "the items are too hard",
    "too_few_items": "too few items",
    "replicate_noise": "answers differ from run to run",
    "grader_noise": "the grader is not consistent",
    "broken_items": "items rank the models backwards",
    "missing_data": "missing scores could turn the order around",
    "no_scores": "one has no score at all",
    "equivalent": "they are equivalent",
}
"""Why two models are not separated, after a colon."""

ACTIONS = {
    "add_items": "add items",
    "use_stratum": "use items of the kind that separates",
    "harder_items": "add harder items",
    "easier_items": "add easier items",
    "add_replicates": "ask again",
    "repeat_grading": "grade again",
    "drop_items": "drop broken items",
    "rerun_missing": "rerun what is missing",
    "choose_otherwise": "choose by something else",
}

FLAGS = {
    "all_pass": "passed by every model",
    "all_fail": "failed by every model",
    "negative_discrimination": "rank the models backwards",
    "duplicate": "behave as another does",
}
"""What is the matter with items."""

SEPARATE_NOTHING = ("all_pass", "all_fail")
"""Flags of items with which nothing need be wrong; those with another look broken."""

PARTS = {
    "model": "between models",
    "item": "between items",
    "model_item": "model × item",
    "replicate": "between answers",
    "grading": "between gradings",
}
"""Parts of the variance, in the order in which they are told."""


def phrase(words: dict[str, str], key: str) -> str:
    """Give the words for a key; one that has none is shown as words itself."""
    return words.get(key, key.replace("_", " "))


def scale(view: View) -> Scale:
    """Find out how the scores of an audit are shown."""
    return Scale.of(view.limits)


def bounds(of: Scale, ends: OpenEnds, *, gap: bool = False) -> str:
    """Give bounds over missing scores, one figure where nothing is missing; an end without limit is told."""
    form = of.gap if gap else of.mean
    if ends[0] is not None and ends[0] == ends[1]:
        return form(ends[0])
    low, high = ("no limit" if end is None else form(end) for end in ends)
    return f"{low} to {high}"
