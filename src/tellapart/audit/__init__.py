"""Can an evaluation separate its models, and if not, why not, and what is the cheapest fix.

Scores go in, from any harness; verdicts, causes, recommendations, items and order come out.
"""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names, make_callable

if TYPE_CHECKING:
    from tellapart.audit.analysis import analyse
    from tellapart.audit.options import AuditOptions
    from tellapart.audit.results import Findings

__all__ = ["AuditOptions", "Findings", "analyse"]

_HOME = {"AuditOptions": "options", "Findings": "results", "analyse": "analysis"}


# The statistics take seconds to import.
__getattr__ = lazy_names(__name__, _HOME)


make_callable(__name__)
