"""What to do about a pair that is not separated, with what it costs."""

from tellapart.audit.fixes.prescription import prescribe

__all__ = ["prescribe"]
