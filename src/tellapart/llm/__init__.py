"""Language models: typed questions, a journal of every call, and what they cost."""

from tellapart.llm.answers import Answers
from tellapart.llm.budget import Limits
from tellapart.llm.journal import CallJournal
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Failure, Question
from tellapart.llm.quoting import quote
from tellapart.llm.session import ask_all

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
