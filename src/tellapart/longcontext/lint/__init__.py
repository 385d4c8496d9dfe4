"""What makes an experiment meaningless, found before and after money is spent."""

from tellapart.longcontext.lint.checks import lint, lint_subject
from tellapart.longcontext.lint.subject import Subject, subject_of

__all__ = ["Subject", "lint", "lint_subject", "subject_of"]
