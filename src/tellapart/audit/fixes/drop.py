"""Leaving out what is broken."""

from __future__ import annotations

from tellapart.audit.backward import backward_items
from tellapart.audit.evidence import Evidence
from tellapart.audit.pairs import Action, Fix, Pair
from tellapart.audit.wording import counted, listed, plain


def drop_items(pair: Pair, evidence: Evidence) -> list[Fix]:
    """Drop the items that rank the other models backwards; the fix has their ids."""
    found = backward_items(pair, evidence)
    if found is None:
        return []
    ahead, behind = (pair.a, pair.b) if found.difference > 0 else (pair.b, pair.a)
    many = len(found.items) > 1
    text = (
        f"Check the keys of {'these' if many else 'this'} {counted(len(found.items), 'item')}, which "
        f"{'rank' if many else 'ranks'} models backwards, or drop {'them' if many else 'it'}: "
        f"{listed(found.items)}. On the {found.n:,} others {ahead} is ahead of {behind} by "
        f"{plain(abs(found.difference))} (p = {plain(found.p)})."
    )
    return [Fix(Action.DROP_ITEMS, 0, 0, text, items=found.items)]
