"""The one second attempt at a question whose reply could not be used."""

from __future__ import annotations

from functools import cache

from tellapart.llm.prompts import Prompt, read_prompt
from tellapart.llm.questions import Failure
from tellapart.llm.quoting import visible

LONGEST_REPLY = 2000
"""Characters of a reply that are sent back: about what 500 tokens hold."""

LONGEST_REASON = 200
"""Characters of what was wrong with it."""

JSON_AGAIN = "the one JSON object that was asked for"
"""What most questions are to be answered with."""


@cache
def repair_prompt() -> Prompt:
    """The prompt of the second attempt, the same for all questions."""
    return read_prompt("tellapart.llm", "repair")


def repair_turns(reply: str, failure: Failure, again: str = JSON_AGAIN) -> list[dict[str, str]]:
    """What follows the question's prompt: the model's own reply as its turn, and what was wrong with it.

    What the model repeated from the material so stays in the model's mouth; the user's turn says what was
    wrong in our words, on one line. Both are short whatever the reply is, and neither is empty. ``again`` is
    what the second attempt is to be.
    """
    reason = visible(" ".join(failure.detail.split()))[:LONGEST_REASON].rstrip(". ")
    return [
        {"role": "assistant", "content": _shortened(visible(reply)).strip() or "(no text)"},
        {"role": "user", "content": repair_prompt().render(reason=reason, again=again)},
    ]


def _shortened(reply: str) -> str:
    if len(reply) <= LONGEST_REPLY:
        return reply
    half = LONGEST_REPLY // 2
    return f"{reply[:half]}\n… (cut)\n{reply[-half:]}"
