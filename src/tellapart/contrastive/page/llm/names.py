"""Names of language models: where there is little room, and where the writer alone would be named."""

from __future__ import annotations

from collections.abc import Sequence

from tellapart.contrastive.page.record import View
from tellapart.report.numbers import listed

BETWEEN = " | "
"""Between the writer of summaries and the matcher, where a model is both."""


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Leave out providers, as in ``anthropic/claude`` or ``openai/gpt | bm25``, unless two would be alike."""
    short = {
        model: BETWEEN.join(part.rpartition("/")[2] for part in model.split(BETWEEN)) for model in models
    }
    return short if len(set(short.values())) == len(short) else {model: model for model in models}


def named(view: View, model: str) -> str:
    """Name a model in a sentence, with the matcher where only the writer of the summaries is in its name."""
    return f"{model} (matched by {view.matchers[model]})" if model in _by_writer(view) else model


def matched_by(view: View) -> str:
    """Say behind the title of a table who matched, where rows are named by the writers of summaries alone.

    Empty where matchers are in the names, and where no language model matched.
    """
    matchers = sorted({view.matchers[model] for model in _by_writer(view)})
    return f", matched by {listed(matchers)}" if matchers else ""


def _by_writer(view: View) -> list[str]:
    """Language models among the rows that are named by who wrote the summaries alone."""
    return [
        model for model in view.llms if model == view.sources[model] and len(set(view.sources.values())) > 1
    ]
