"""Made-up conversations of any length, with facts at known places, for experiments with a known answer."""

from tellapart.longcontext.design import Design, depths_of, lengths_of
from tellapart.longcontext.generating.case_files import WrittenCase, write_cases
from tellapart.longcontext.generating.conversations import conversation, conversations

__all__ = [
    "Design",
    "WrittenCase",
    "conversation",
    "conversations",
    "depths_of",
    "lengths_of",
    "write_cases",
]
