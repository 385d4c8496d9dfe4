"""Evaluations with files of one's choice, as objects and as the files that the loop keeps."""

import json

from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.results.evaluation import CaseFigures
from tellapart.codesearch.results.metrics import Metrics
from tellapart.codesearch.scoring import evaluation_record


def iteration(number, *cases):
    return Evaluation(number, None, cases)


def evaluation_text(evaluation):
    """As evaluate writes it, without the figures, which are made from the cases again."""
    figures = [CaseFigures(precision=None, recall=None) for _ in evaluation.cases]
    return json.dumps(evaluation_record(evaluation, Metrics.model_construct(), figures, []).to_json())
