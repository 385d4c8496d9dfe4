"""Cases played against models of this process."""

import asyncio

from tellapart.llm.budget import NO_LIMITS
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.longcontext.case import Case, CaseStep
from tellapart.longcontext.design import Playing
from tellapart.longcontext.play import play

KINDS = {"M": "message", "C": "checkpoint", "V": "verification"}


def case(ids, system="be brief", name="small"):
    """A case of steps such as ``M1 C1-1``, each saying ``text of ID``."""
    modes = {"M": None, "C": "Recall", "V": "Recall"}
    steps = [CaseStep(id_, KINDS[id_[0]], f"text of {id_}", modes[id_[0]]) for id_ in ids.split()]
    return Case(name, system, tuple(steps))


class Listed:
    """A speaker that gives what it is given, and keeps what it was sent."""

    def __init__(self, *replies):
        self.sent, self._replies = [], iter(replies)

    async def say(self, conversation, text, name, facts=None):
        from tellapart.llm.conversation import after

        self.sent.append((name, [message["content"] for message in conversation.messages(text)]))
        said = next(self._replies)
        return said, after(conversation, text, said)


def listen(one, playing, *replies, **how):
    """What a case becomes with these replies, and what was sent."""
    speaker = Listed(*replies)
    found = asyncio.run(play(one, playing, LanguageModel("offline/m"), speaker, **how))
    return found, speaker.sent


def hold(directory, cases, model, *, playing=None, limits=NO_LIMITS, **how):
    """Play cases, with a journal in ``directory``."""
    llm = model if isinstance(model, LanguageModel) else LanguageModel(model)
    chosen = playing or Playing()
    plays = [lambda speaker, one=one: play(one, chosen, llm, speaker) for one in cases]
    with RunCalls(directory, limits).opened() as calls:
        return calls.hold(plays, llm, **how)
