"""Sections that a run with language models has."""

from __future__ import annotations

from tellapart.contrastive.page.charts.slots import slots_chart
from tellapart.contrastive.page.llm.agreement import agreement, combined
from tellapart.contrastive.page.llm.slots import by_fifth
from tellapart.contrastive.page.llm.steadiness import flips
from tellapart.contrastive.page.llm.summarisers import written
from tellapart.contrastive.page.record import View
from tellapart.report.document import Section
from tellapart.report.model_parameters import parameters, usage
from tellapart.report.tables import Table

WHERE_REPLIES_LIE = (
    "Every message and reply, with the model's reasoning, is in calls.jsonl of the run directory; those of "
    "summaries are in llm/calls.jsonl of the benchmark."
)


def llm_sections(view: View) -> list[Section]:
    """What is said about summaries by several writers, and about language models that order the options."""
    found = [_order(view)] if view.llms else []
    return [*_summaries(view), *found, *_both(view), *_asked(view)]


def first_look(view: View) -> list[Table]:
    """Tables for a terminal: slots, what changed, both kinds of models, who wrote, and what calls took."""
    order = [by_fifth(view, brief=True), flips(view)] if view.llms else []
    asked = [usage(view.language_models, WHERE_REPLIES_LIE)] if view.language_models else []
    return [one for one in (*order, agreement(view), combined(view), written(view), *asked) if one]


def _summaries(view: View) -> list[Section]:
    one = written(view)
    if one is None:
        return []
    text = "Whose summaries were compared. A target without a summary is missing for that writer, not wrong."
    return [Section("summaries", "Summaries", text, tables=(one,))]


def _order(view: View) -> Section:
    again = flips(view)
    return Section(
        "slots",
        "Order of the options",
        "A language model reads the options as a list. The target goes through the slots in turn, so that a "
        "preference for a slot helps and hurts every model alike, and shows.",
        charts=(slots_chart(view),),
        tables=(by_fifth(view), *([again] if again else [])),
    )


def _both(view: View) -> list[Section]:
    tables = tuple(one for one in (agreement(view), combined(view)) if one)
    text = "What a language model and an embedding model that saw the same options each got right."
    return [Section("agreement", "Agreement", text, tables=tables)] if tables else []


def _asked(view: View) -> list[Section]:
    if not view.language_models:
        return []
    text = "What was asked of each language model, what it was really sent, and what that took."
    tables = (usage(view.language_models, WHERE_REPLIES_LIE), parameters(view.language_models))
    return [Section("language-models", "Language models", text, tables=tables)]
