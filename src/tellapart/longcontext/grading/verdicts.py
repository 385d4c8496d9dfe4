"""From what was matched and what else was claimed to a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.grading.claims import Claim
from tellapart.longcontext.grading.grades import Grade
from tellapart.longcontext.grading.passages import Passage

FLOOD = 8
"""Wrong claims that a response may make, and three more for each detail that is asked for, before it counts
as made up whatever else is in it."""


@dataclass(frozen=True)
class Tally:
    """What a response says beside the facts that were asked for.

    Attributes:
        wanted: How many facts were asked for.
        right: Those that it states, for people.
        near: Those that it gives only roughly.
        absent: Those that it does not give.
        foreign: Claims that belong to another entry, with it.
        invented: Claims that belong nowhere.
        own: Wrong claims that belong to the entry in question.
        wrong_entry: What is wrong with the entry that it names; None where nothing is.
        mixed: Whether it gives one entry's number with another's author.
    """

    wanted: int
    right: tuple[str, ...]
    near: tuple[str, ...]
    absent: tuple[str, ...]
    foreign: Sequence[tuple[Claim, Passage]]
    invented: Sequence[Claim]
    own: Sequence[Claim]
    wrong_entry: str | None = None
    mixed: bool = False


def verdict(tally: Tally, *, refused: bool, hinted: bool) -> Grade:
    """Decide.

    Args:
        tally: What was found.
        refused: Whether the response says that it does not know.
        hinted: Whether it shares words with the right answer that the question does not have.
    """
    wrong = len(tally.foreign) + len(tally.invented)
    if wrong > FLOOD + 3 * tally.wanted:
        return Grade(
            "HALLUCINATED", f"It makes {wrong} claims that are wrong, whatever else is in it.", _first(tally)
        )
    if len(tally.right) == tally.wanted:
        return _all_right(tally)
    if tally.right or tally.near:
        return _some_right(tally)
    if refused and not wrong and not tally.own:
        return Grade("REFUSED", "It says that it does not know.", ", ".join(tally.absent))
    if tally.foreign and (tally.mixed or len(tally.foreign) >= len(tally.invented)):
        return _confused(tally)
    if tally.own and len(tally.own) >= len(tally.invented):
        return Grade(
            "PARTIAL",
            f"{tally.own[0].fact.text} is in the entry in question, but is not what was asked for.",
            tally.own[0].fact.text,
        )
    if tally.invented:
        return Grade(
            "HALLUCINATED",
            f"{tally.invented[0].fact.text} is nowhere in the material.",
            tally.invented[0].fact.text,
        )
    if tally.wrong_entry:
        return Grade("CONFUSED", tally.wrong_entry, ", ".join(tally.absent))
    if hinted and not refused:
        return Grade("PARTIAL", f"It does not say {_listed(tally.absent)}.", ", ".join(tally.absent))
    return Grade("REFUSED", f"It gives nothing of {_listed(tally.absent)}.", ", ".join(tally.absent))


def _all_right(tally: Tally) -> Grade:
    right = ", ".join(tally.right)
    if tally.mixed:
        return Grade(
            "CONFUSED", tally.wrong_entry or "It gives one entry's number with another's author.", right
        )
    if tally.wrong_entry:
        return Grade("PARTIAL", tally.wrong_entry, right)
    if tally.foreign or tally.invented:
        what = [*(claim for claim, _ in tally.foreign), *tally.invented][0].fact.text
        return Grade("PARTIAL", f"It states {_listed(tally.right)}, but {what} beside it is wrong.", what)
    return Grade("CORRECT", f"It states {_listed(tally.right)}.", right)


def _some_right(tally: Tally) -> Grade:
    if tally.mixed or (tally.foreign and tally.absent):
        return _confused(tally)
    if tally.near:
        return Grade("PARTIAL", f"It gives {_listed(tally.near)} only roughly.", ", ".join(tally.near))
    given = [*tally.own, *tally.invented]
    instead = f", but {given[0].fact.text}" if given else ""
    return Grade(
        "PARTIAL",
        f"It states {_listed(tally.right)}, not {_listed(tally.absent)}{instead}.",
        ", ".join(tally.absent),
    )


def _confused(tally: Tally) -> Grade:
    if not tally.foreign:
        return Grade(
            "CONFUSED", tally.wrong_entry or "It takes one entry for another.", ", ".join(tally.right)
        )
    claim, passage = tally.foreign[0]
    return Grade("CONFUSED", f"{claim.fact.text} belongs to {passage.label}.", claim.fact.text)


def _first(tally: Tally) -> str:
    return [*(claim for claim, _ in tally.foreign), *tally.invented][0].fact.text


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts) or "nothing of what was asked for"
