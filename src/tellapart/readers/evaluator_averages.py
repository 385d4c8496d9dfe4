"""The CSV files that evaluators of sentence-transformers write: the averages of each evaluation."""

from __future__ import annotations

import re
from pathlib import Path

from tellapart.files.tables import head_text
from tellapart.readers.reader import NoItemScores

_NAME = re.compile(r".*_results(?:_@\d+)?\.csv")
"""How the library ends their names; rerankers add how many texts they rank."""


def is_averages(path: Path) -> bool:
    """Check whether a file is one of them, by its name and its first columns; never raises of a file."""
    return (
        bool(_NAME.fullmatch(path.name))
        and path.is_file()
        and (head_text(path) or "").startswith("epoch,steps,")
    )


def refuse_averages(path: Path) -> None:
    """Refuse such a file."""
    if is_averages(path):
        raise NoItemScores(
            "this file of sentence-transformers holds the averages of evaluations, and no scores of items",
            where=path,
            next_step="Wrap the evaluator, tellapart.integrations.sentence_transformers.PerQuery(evaluator), "
            "and give the per_query_*.parquet that it writes beside this file",
        )
