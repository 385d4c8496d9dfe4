"""What is wrong with an eval of bundles, before models are scored on it."""

from tellapart.bundles.lint.checks import lint
from tellapart.bundles.lint.inputs import BundleFinding, LintInputs, read_inputs

__all__ = ["BundleFinding", "LintInputs", "lint", "read_inputs"]
