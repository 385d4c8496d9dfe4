"""What makes an experiment meaningless, found before and after money is spent."""

from tellapart.longcontext.lint.checks import counts, decidable_rows, grouped, lint
from tellapart.longcontext.lint.inputs import LintInputs, lint_inputs

__all__ = ["LintInputs", "counts", "decidable_rows", "grouped", "lint", "lint_inputs"]
