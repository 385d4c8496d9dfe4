"""Probes: what each asks for, the evidence that it needs, and its grade."""

from tellapart.longcontext.probes.evidence import Needs, locations
from tellapart.longcontext.probes.kinds import KINDS, JudgePrompt, ProbeKind, kind_of, needs_of
from tellapart.longcontext.probes.probe import Probe, grade_by_rules, probes_of, sent_tokens, sources

__all__ = [
    "grade_by_rules",
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
