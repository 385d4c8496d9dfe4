"""Probes: what each asks for, the evidence that it needs, and its grade."""

from tellapart.longcontext.probes.evidence import Needs, locations
from tellapart.longcontext.probes.kinds import KINDS, JudgePrompt, ProbeKind, kind_of, needs_of
from tellapart.longcontext.probes.probe import Probe, probes_of, sent_tokens, sources

__all__ = [
    "kind_of",
    "locations",
    "needs_of",
    "probes_of",
    "sent_tokens",
    "sources",
    "JudgePrompt",
    "KINDS",
    "Needs",
    "Probe",
    "ProbeKind",
]
