"""Names of language models where there is little room."""

from __future__ import annotations

from collections.abc import Sequence

BETWEEN = " | "
"""Between the writer of summaries and the matcher, where a model is both."""


def short_names(models: Sequence[str]) -> dict[str, str]:
    """Leave out providers, as in ``anthropic/claude`` or ``openai/gpt | bm25``, unless two would be alike."""
    short = {
        model: BETWEEN.join(part.rpartition("/")[2] for part in model.split(BETWEEN)) for model in models
    }
    return short if len(set(short.values())) == len(short) else {model: model for model in models}
