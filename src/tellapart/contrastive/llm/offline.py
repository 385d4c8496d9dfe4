"""Offline models of this suite: no language models, but they do the work, by the words that are shared."""

from __future__ import annotations

import json
import re

from tellapart.embed.identifiers import split_identifiers
from tellapart.llm.offline import respond

# Material begins its lines with a bar, so that no heading can stand in it.
_PARTS = re.compile(r"^\w+ (?:Summary|Option \d+)\n((?:\|.*\n)+)", re.MULTILINE)


@respond("overlap")
def overlap(prompt: str) -> str:
    """Order the options by how many words of the summary they hold; the first of equals comes first.

    A prompt without a summary and options, such as one to repair a reply, has an answer that cannot be read.
    """
    summary, *options = [set(split_identifiers(match[1])) for match in _PARTS.finditer(prompt)] or [set()]
    if not options:
        return "There is nothing to order."
    shares = [len(summary & option) / max(len(summary), 1) for option in options]
    order = sorted(range(1, len(options) + 1), key=lambda number: -shares[number - 1])
    reply = {
        "order": order,
        "selected": order[0],
        "confidence": round(shares[order[0] - 1], 3),
        "reasoning": "It shares the most words with the summary.",
    }
    return json.dumps(reply)
