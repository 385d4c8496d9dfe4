"""What a response is worth, by what it says beside what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tellapart.longcontext.grades import Category, Grade
from tellapart.longcontext.rules.claims import Claim
from tellapart.longcontext.rules.passages import Passage

CANNOT_TELL = "rules cannot tell"
"""Why an answer is missing that rules cannot grade, in the words of a score table."""


def cannot_tell(why: str) -> Grade:
    """No grade, as only a judge could give one."""
    return Grade("EVAL_ERROR", f"Rules cannot tell: {why}.", missing=CANNOT_TELL)


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
        unclear: What it may say in words that rules do not see.
        wrong_words: What is wrong with the yes or no that it says; None where nothing is.
        exchanged: Right values that it gives in each other's places.
        former: What it gives instead that the right answer names too, but not as what is asked for.
        contradicts: Wrong claims in the place of values of the right answer that nobody asked for.
        unread: Whether something in its place may be one of those that are absent.
        numbered: Whether the material has entries with numbers, each with its own details.
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
    unclear: tuple[str, ...] = ()
    wrong_words: str | None = None
    exchanged: tuple[str, ...] = ()
    former: Sequence[Claim] = ()
    numbered: bool = True
    unread: bool = False
    contradicts: Sequence[Claim] = ()

    @property
    def rivals(self) -> bool:
        """Whether anything is given in the place of what is asked for."""
        return bool(self.foreign or self.invented or self.own or self.former or self.exchanged)


def verdict(tally: Tally, *, refused: bool, unread: bool) -> Grade:
    """Decide."""
    wrong = len(tally.foreign) + len(tally.invented)
    if wrong > FLOOD + 3 * tally.wanted:
        reason = f"It makes {wrong} claims that are wrong, whatever else is in it."
        return Grade("HALLUCINATED", reason, _first(tally))
    given = bool(tally.right or tally.near)
    if tally.unclear:
        if refused and not given and not wrong:
            return _refused(tally.unclear)
        return cannot_tell(f"it may give {listed(tally.unclear)} in a way that they do not read")
    if len(tally.right) == tally.wanted:
        return _all_right(tally)
    if tally.wrong_words and not given:
        return Grade("HALLUCINATED", tally.wrong_words, ", ".join(tally.absent))
    if given:
        if (
            tally.right
            and tally.absent
            and tally.unread
            and not (refused or tally.wrong_words or tally.rivals)
        ):
            return cannot_tell(f"it may say {listed(tally.absent)} in other words")
        return _some_right(tally)
    return _none_right(tally, refused=refused, unread=unread)


def crossed(tally: Tally) -> Grade:
    """What says of one what is right of another: CONFUSED where it says all, else no grade."""
    if len(tally.right) < tally.wanted:
        return cannot_tell(f"it states {listed(tally.right)}, not all in the right places")
    return Grade(
        "CONFUSED", f"It gives {listed(tally.right)} in each other's places.", ", ".join(tally.right)
    )


def _none_right(tally: Tally, *, refused: bool, unread: bool) -> Grade:
    """By what stands in the place of the right ones; where nothing does, it may be said in other words."""
    if refused and not tally.rivals:
        return _refused(tally.absent)
    if tally.foreign and (tally.mixed or len(tally.foreign) >= len(tally.invented)):
        return _confused(tally)
    if tally.exchanged:
        what = ", ".join(tally.exchanged)
        return Grade("CONFUSED", f"It gives {what} in the place of another one.", what)
    if tally.former:
        what = tally.former[0].fact.text
        return Grade("CONFUSED", f"{what} is in the right answer, but is not what was asked for.", what)
    if tally.own and len(tally.own) >= len(tally.invented):
        what = tally.own[0].fact.text
        category: Category = "PARTIAL" if tally.numbered else "CONFUSED"
        return Grade(category, f"{what} was said, but is not what was asked for.", what)
    if tally.invented:
        what = tally.invented[0].fact.text
        return Grade("HALLUCINATED", f"{what} is nowhere in the material.", what)
    if tally.wrong_entry:
        return Grade("CONFUSED", tally.wrong_entry, ", ".join(tally.absent))
    if refused or not unread:
        return Grade("REFUSED", f"It gives nothing of {listed(tally.absent)}.", ", ".join(tally.absent))
    return cannot_tell(f"it may say {listed(tally.absent)} in other words")


def _refused(of: Sequence[str]) -> Grade:
    return Grade("REFUSED", "It says that it does not know.", ", ".join(of))


def _all_right(tally: Tally) -> Grade:
    right = ", ".join(tally.right)
    if tally.mixed:
        return Grade(
            "CONFUSED", tally.wrong_entry or "It gives one entry's number with another's author.", right
        )
    if tally.wrong_entry:
        return Grade("PARTIAL", tally.wrong_entry, right)
    if tally.contradicts or tally.foreign or (tally.invented and tally.numbered):
        what = [*tally.contradicts, *(claim for claim, _ in tally.foreign), *tally.invented][0].fact.text
        return Grade("PARTIAL", f"It states {listed(tally.right)}, but {what} beside it is wrong.", what)
    if tally.invented:
        return cannot_tell(
            f"it states {listed(tally.right)}, and beside it {tally.invented[0].fact.text}, which nobody said"
        )
    return Grade("CORRECT", f"It states {listed(tally.right)}.", right)


def _some_right(tally: Tally) -> Grade:
    majority = not tally.numbered or 2 * len(tally.right) > tally.wanted
    if tally.mixed or (tally.foreign and tally.absent and not majority):
        return _confused(tally)
    if tally.near:
        return Grade("PARTIAL", f"It gives {listed(tally.near)} only roughly.", ", ".join(tally.near))
    given = [*tally.own, *tally.invented, *(claim for claim, _ in tally.foreign)]
    instead = f", but {given[0].fact.text}" if given else ""
    return Grade(
        "PARTIAL",
        f"It states {listed(tally.right)}, not {listed(tally.absent)}{instead}.",
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


def listed(parts: Sequence[str]) -> str:
    """What was asked for, for a sentence; of nothing that there was nothing."""
    return ", ".join(parts) or "nothing of what was asked for"
