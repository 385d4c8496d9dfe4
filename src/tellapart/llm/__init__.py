"""Language models: typed questions, a journal of every call, and what they cost."""

from typing import TYPE_CHECKING

from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.llm.budget import Limits
    from tellapart.llm.models import LanguageModel
    from tellapart.llm.questions import Question
    from tellapart.llm.quoting import quote
    from tellapart.llm.run_models import RunCalls

__all__ = ["LanguageModel", "Limits", "Question", "RunCalls", "quote"]

# The command line needs the defaults of models at once.
__getattr__ = names_from(__name__, __all__, "models", "budget", "questions", "quoting", "run_models")
