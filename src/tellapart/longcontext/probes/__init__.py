"""Probes: what each asks for, one module a kind, the evidence that it needs, and its grade."""

from tellapart.longcontext.probes.evidence import Evidence, locations, sources
from tellapart.longcontext.probes.kind import JudgePrompt, ProbeKind
from tellapart.longcontext.probes.kinds import all_kinds, kind_of, needs_of
from tellapart.longcontext.probes.needs import Needs
from tellapart.longcontext.probes.probe import Probe, probes_of, sent_tokens

__all__ = [
    "all_kinds",
    "kind_of",
    "locations",
    "needs_of",
    "probes_of",
    "sent_tokens",
    "sources",
    "Evidence",
    "JudgePrompt",
    "Needs",
    "Probe",
    "ProbeKind",
]
