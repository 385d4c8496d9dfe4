"""What makes an experiment meaningless, found before and after money is spent."""

from tellapart.longcontext.lint.checks import counts, decidable_rows, lint, table_of
from tellapart.longcontext.lint.inputs import LintInputs, lint_inputs

__all__ = ["LintInputs", "counts", "decidable_rows", "lint", "lint_inputs", "table_of"]
