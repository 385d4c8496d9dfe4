"""What is wrong with an eval of bundles, before models are scored on it."""

from tellapart.bundles.lint.checks import Linted, lint_files
from tellapart.bundles.lint.inputs import BundleFinding, LintedBundles, read_inputs

__all__ = ["BundleFinding", "Linted", "LintedBundles", "lint_files", "read_inputs"]
