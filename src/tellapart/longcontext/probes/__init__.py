"""What probes ask for, one module a kind: the evidence that each needs, where that stands, and its grade."""

from tellapart.longcontext.probes.evidence import Evidence, Turns, evidence_for, locations, sources
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.kinds import all_kinds, kind_of, needs_of
from tellapart.longcontext.probes.needs import Needs

__all__ = [
    "all_kinds",
    "evidence_for",
    "kind_of",
    "locations",
    "needs_of",
    "sources",
    "Evidence",
    "JudgePrompt",
    "Needs",
    "ProbeKind",
    "Turns",
]
