"""Bundles in the formats of other programs, and back."""

from tellapart.bundles.convert.convert import Converted, Scorer, convert

__all__ = ["Converted", "Scorer", "convert"]
