"""What texts state: their facts, one module a kind, and the entries that they refer to."""

from tellapart.longcontext.facts.kind import Fact, FactKind, Mention, Sighting, Wanted
from tellapart.longcontext.facts.kinds import all_kinds, facts_of, located, same, states

__all__ = [
    "Fact",
    "FactKind",
    "Mention",
    "Sighting",
    "Wanted",
    "all_kinds",
    "facts_of",
    "located",
    "same",
    "states",
]
