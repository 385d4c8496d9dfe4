"""Questions whose right answer is a number in the prompt, and who answers them."""

import json
from collections.abc import Collection

from pydantic import BaseModel, ConfigDict

from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Question
from tellapart.llm.run_models import RunCalls
from tellapart.store.database import RunDatabase


class Number(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    why: str


class Numbers(Collection):
    """Questions q0, q1, …; the prompt of q7 is ``Which number? 7``."""

    def __init__(self, count, text=""):
        self._count, self._text = count, text

    def __len__(self):
        return self._count

    def __contains__(self, question):
        return any(question == own for own in self)

    def __iter__(self):
        for i in range(self._count):
            yield Question(f"q{i}", f"Which number? {self._text}{i}", Number)


def said(prompt):
    """The number in a prompt."""
    return int(prompt.rpartition(" ")[2])


def right(prompt):
    """A reply as it should be."""
    return json.dumps({"number": said(prompt), "why": f"it says {said(prompt)}"})


def ask(directory, count, model="offline/right", *, text="", **how):
    """Ask in a journal of ``directory``; the answers, with values read while it is open."""
    llm = model if isinstance(model, LanguageModel) else LanguageModel(model)
    with RunCalls(directory, logs="logs", **how).opened() as calls:
        found = calls.ask(Numbers(count, text), llm)
        return found, dict(found.by_id)


def calls(directory):
    """The calls that the database of a directory holds, each with its key."""
    with RunDatabase(directory / "calls.db", read_only=True) as database:
        return [{"key": row.key, **row.entry} for row in database.rows("calls")]
