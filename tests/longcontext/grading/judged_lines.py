"""Probes, prompts and replies for tests of the judge."""

import re

from tellapart.llm.quoting import material_of
from tellapart.longcontext.case import Expected
from tellapart.longcontext.probes import Probe
from tellapart.longcontext.transcript import PlayedCase, PlayedStep

_PART = re.compile(r"^[0-9a-f]{12} ([A-Z' ]+):\n((?:\|.*\n)+)", re.MULTILINE)


def lines(score="CORRECT", reason="All of it is right.", detail="N=342"):
    return f"SCORE: {score}\nREASON: {reason}\nKEY_DETAIL: {detail}"


def played(
    response="N=342", *, id="V2-4", mode="Attention Dilution", question="How large was Study 1?", **more
):
    kind = "checkpoint" if id.startswith("C") else "verification"
    return PlayedStep(id, kind, mode, question, response, **more)


def conversation(*steps, name="case_2_long", model="m", epoch=0):
    return PlayedCase(name, tuple(steps), model=model, epoch=epoch)


def probe(response="N=342", *, expected=None, known=True, **step):
    own = played(response, **step)
    answer = (expected or Expected(own.id, "N=342.", test="Compare with C2-1.")) if known else None
    return Probe(conversation(own), 0, own, answer)


def parts(prompt):
    """What a prompt shows, by its headings, without the marks."""
    return {name: material_of(text) for name, text in _PART.findall(prompt)}
