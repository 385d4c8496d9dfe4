"""Recorded turns of users and assistants as messages with given replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, NamedTuple

from tellapart.longcontext.importing.form import ACKNOWLEDGED, Tally

Role = Literal["user", "assistant"]


class Exchange(NamedTuple):
    """What a user said, and the reply; each may be made of several turns in a row."""

    text: str
    reply: str


def exchanges(turns: Iterable[tuple[Role, str]], opening: str, tally: Tally) -> list[Exchange]:
    """Pair the turns of one session.

    Turns of one role in a row are joined with a blank line. Where the assistant begins, the user's part is
    the opening alone; where the user has the last word, the reply is ``ACKNOWLEDGED``. Turns without text are
    left out. All of that is counted, and so are the spaces around texts, which are not kept.
    """
    stripped = [(role, text.strip()) for role, text in turns]
    tally["turns without text, left out"] += sum(not text for _, text in stripped)
    joined = list(_joined(((role, text) for role, text in stripped if text), tally))
    if joined and joined[0][0] == "assistant":
        part = "the date" if opening else "'…'"
        tally[f"sessions that an assistant begins: the user's part is {part}"] += 1
        joined.insert(0, ("user", "" if opening else "…"))
    if joined and joined[-1][0] == "user":
        tally[f"sessions that a user ends: the reply is {ACKNOWLEDGED!r}"] += 1
        joined.append(("assistant", ACKNOWLEDGED))
    if joined and opening:
        joined[0] = ("user", f"{opening}\n\n{joined[0][1]}".strip())
    return [Exchange(user, reply) for (_, user), (_, reply) in zip(joined[::2], joined[1::2], strict=True)]


def _joined(turns: Iterable[tuple[Role, str]], tally: Tally) -> Iterator[tuple[Role, str]]:
    for role, group in groupby(turns, key=lambda turn: turn[0]):
        texts = [text for _, text in group]
        tally["turns joined with the one before, which has the same role"] += len(texts) - 1
        yield role, "\n\n".join(texts)
