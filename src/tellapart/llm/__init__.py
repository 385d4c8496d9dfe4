"""Language models: typed questions, a journal of every call, and what they cost."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.llm.asking import ask_all
    from tellapart.llm.budget import Limits
    from tellapart.llm.journal import CallJournal
    from tellapart.llm.models import LanguageModel
    from tellapart.llm.questions import Question
    from tellapart.llm.quoting import quote

__all__ = [
    "CallJournal",
    "LanguageModel",
    "Limits",
    "Question",
    "ask_all",
    "quote",
]

_HOME = {
    "CallJournal": "journal",
    "LanguageModel": "models",
    "Limits": "budget",
    "Question": "questions",
    "ask_all": "asking",
    "quote": "quoting",
}


# The command line needs the defaults of models at once.
__getattr__ = lazy_names(__name__, _HOME)
