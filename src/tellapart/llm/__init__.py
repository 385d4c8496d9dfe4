"""Language models: typed questions, a journal of every call, and what they cost."""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.llm.asking import Answers, ask_all
    from tellapart.llm.budget import Limits
    from tellapart.llm.journal import CallJournal
    from tellapart.llm.models import LanguageModel
    from tellapart.llm.prompts import Prompt, read_prompt, schema_text
    from tellapart.llm.questions import Answer, Failure, Question
    from tellapart.llm.quoting import quote

__all__ = [
    "Answer",
    "Answers",
    "CallJournal",
    "Failure",
    "LanguageModel",
    "Limits",
    "Prompt",
    "Question",
    "ask_all",
    "quote",
    "read_prompt",
    "schema_text",
]

_HOME = {
    "Answer": "questions",
    "Answers": "asking",
    "CallJournal": "journal",
    "Failure": "questions",
    "LanguageModel": "models",
    "Limits": "budget",
    "Prompt": "prompts",
    "Question": "questions",
    "ask_all": "asking",
    "quote": "quoting",
    "read_prompt": "prompts",
    "schema_text": "prompts",
}


# The command line needs the defaults of models at once.
__getattr__ = lazy_names(__name__, _HOME)
