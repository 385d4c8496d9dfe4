"""Can an evaluation tell its models apart, and if not, why, and what is the cheapest fix.

Scores go in, anybody's; verdicts, causes, prescriptions, items, order and a smallest set come out.
"""

from tellapart.audit.analysis import analyse
from tellapart.audit.figures import figures
from tellapart.audit.findings import Findings
from tellapart.audit.options import AuditOptions

__all__ = ["AuditOptions", "Findings", "analyse", "figures"]
