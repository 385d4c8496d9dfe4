"""Files of codesearch pipelines, ours and others', from bytes to checked records."""

from tellapart.codesearch.reading.evaluations import evaluation_at, read_evaluation
from tellapart.codesearch.reading.recorded import Figures, RecordedFigures, recorded_figures
from tellapart.codesearch.reading.searches import read_conversations, read_search_results

__all__ = [
    "Figures",
    "RecordedFigures",
    "evaluation_at",
    "read_conversations",
    "read_evaluation",
    "read_search_results",
    "recorded_figures",
]
