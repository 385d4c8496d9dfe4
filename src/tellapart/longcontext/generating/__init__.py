"""Made-up conversations of any length, with facts at known places, for experiments with a known answer."""

from tellapart.longcontext.design import Design
from tellapart.longcontext.generating.conversations import conversation, write_cases

__all__ = ["Design", "conversation", "write_cases"]
