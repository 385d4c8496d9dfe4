"""Models that answer from the journal of an earlier run: no key, no network, no cost."""

from __future__ import annotations

from tellapart.llm.models import LanguageModel

PREFIX = "replay:"
"""What a model's name begins with that answers from a journal."""


def replayed_models(name: str) -> list[LanguageModel]:
    """The models of a journal, each to be asked as it was then.

    Args:
        name: ``replay:PATH`` with a run directory or a journal of calls; ``replay:PATH#PROVIDER/MODEL``
            for one of several. The prefix may be left out.

    Returns:
        All models of the journal in the order in which they were first asked, or the one that was chosen.

    Raises:
        InputError: There is no journal, or it cannot be read.
        UsageError: The chosen model is not in it.
    """
    raise NotImplementedError
