"""Bundles in the formats of other programs, and back."""

from tellapart.bundles.convert.convert import TARGETS, Converted, Scorer, convert

__all__ = ["TARGETS", "Converted", "Scorer", "convert"]
