"""What makes an experiment mean nothing, found before and after money is spent."""

from tellapart.longcontext.lint.checks import lint
from tellapart.longcontext.lint.findings import SEVERITIES, Finding, Severity

__all__ = ["Finding", "SEVERITIES", "Severity", "lint"]
