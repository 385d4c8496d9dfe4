"""What to do about a pair that is not separated, with what it costs."""

from __future__ import annotations

from tellapart.audit.evidence import Evidence
from tellapart.audit.findings import Action, Fix, Pair, Why


def prescribe(pair: Pair, why: tuple[Why, ...], evidence: Evidence) -> tuple[Fix, ...]:
    """Give what would separate a pair, the cheapest first; nothing for one that is separated."""
    if not why or pair.items_needed is None:
        return ()
    extra = max(0, pair.items_needed - pair.n)
    return (Fix(Action.ADD_ITEMS, extra, 0, f"{extra} more items would separate them."),)
