"""What makes an experiment meaningless, found before and after money is spent."""

from tellapart.longcontext.lint.checks import lint, lint_all
from tellapart.longcontext.lint.inputs import LintInputs, lint_inputs
from tellapart.longcontext.lint.record import decidable_rows

__all__ = ["LintInputs", "decidable_rows", "lint", "lint_all", "lint_inputs"]
