"""Why two models are not separated."""

from __future__ import annotations

from tellapart.audit.evidence import Evidence
from tellapart.audit.findings import Cause, Pair, Verdict, Why


def explain(pair: Pair, evidence: Evidence) -> tuple[Why, ...]:
    """Name what keeps a pair from being separated; nothing for one that is."""
    if pair.is_separated:
        return ()
    if pair.verdict is Verdict.WITHHELD:
        return (Why(Cause.MISSING_DATA, "The missing scores could turn the order around."),)
    if pair.verdict is Verdict.EQUIVALENT:
        return (Why(Cause.EQUIVALENT, "They differ by less than matters."),)
    return (Why(Cause.TOO_FEW_ITEMS, f"{pair.n} items are too few for a difference this small."),)
