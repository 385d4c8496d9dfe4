"""From files to cases, answers and results."""

from tellapart.longcontext.reading.answers import read_answers
from tellapart.longcontext.reading.cases import read_case, read_cases
from tellapart.longcontext.reading.results import read_results

__all__ = ["read_answers", "read_case", "read_cases", "read_results"]
