"""What is left to ask of a model and what that may cost; nothing is sent, and journals stay as they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tellapart.llm.asking import call_key, recorded
from tellapart.llm.budget import Price
from tellapart.llm.costs import Estimate, OpenQuestion, estimate, observed_rates
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Question
from tellapart.llm.recorded_calls import find_call


class Reading:
    """Calls that journals hold, the first journal's first; nothing is written.

    Attributes:
        final: Whether failures count as answers too; never, since they are asked again.
    """

    final = False

    def __init__(self, journals: Sequence[CallJournal]) -> None:
        """Read ``journals``."""
        self._journals = journals

    def get(self, key: str) -> dict[str, Any] | None:
        """The first call with this key that brought a reply, or None."""
        call = find_call(key, self._journals, final=self.final)
        return call[0] if call else None


def estimate_cost(
    questions: Collection[Question[Any]],
    model: LanguageModel,
    journals: Sequence[Path],
    *,
    reply_characters: int,
    price: Price | None,
) -> Estimate:
    """Estimate what asking would take; nothing is sent or written, and neither a key nor Inspect is needed.

    Args:
        questions: All of them; iterated once.
        model: Who would be asked. One that answers from a recording is asked nothing.
        journals: Of this run and of one that is taken over; those that are not there hold nothing.
        reply_characters: Length of an ordinary reply.
        price: US dollars for a million tokens in, and out.

    Raises:
        InputError: A journal cannot be read.
    """
    if model.recording is not None:
        return estimate((), answered=len(questions), max_tokens=model.max_tokens, price=price)
    unanswered: list[OpenQuestion] = []
    seen: list[tuple[int, int, int]] = []
    with ExitStack() as stack:
        reading = Reading(
            [stack.enter_context(CallJournal(path, read_only=True)) for path in journals if path.exists()]
        )
        for question in questions:
            if recorded(question, model, reading) is None:
                unanswered.append(OpenQuestion(len(question.prompt), reply_characters))
            call = reading.get(call_key(question, model, [{"role": "user", "content": question.prompt}]))
            if call is not None and "usage" in call:
                usage = call["usage"]
                seen.append((len(question.prompt), usage["input_tokens"], usage["output_tokens"]))
    return estimate(
        unanswered,
        answered=len(questions) - len(unanswered),
        max_tokens=model.max_tokens,
        price=price,
        rates=observed_rates(seen),
    )
