"""Made-up conversations of any length, with facts at known places, for experiments with a known answer."""

from tellapart.longcontext.generating.case_files import WrittenCase, write_cases
from tellapart.longcontext.generating.conversations import conversation, conversations
from tellapart.longcontext.generating.design import Design, depths_of, lengths_of

__all__ = [
    "Design",
    "WrittenCase",
    "conversation",
    "conversations",
    "depths_of",
    "lengths_of",
    "write_cases",
]
