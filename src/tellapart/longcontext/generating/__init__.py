"""Made-up conversations of any length, with facts at known places, for experiments with a known answer."""

from tellapart.longcontext.generating.generate import Design, conversation, conversations

__all__ = ["Design", "conversation", "conversations"]
