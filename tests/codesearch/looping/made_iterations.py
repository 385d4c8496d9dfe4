"""Evaluations with files of one's choice, as objects and as the files that the loop keeps."""

import json

from tellapart.codesearch.evaluation import Evaluation, evaluation_record


def iteration(number, *cases):
    return Evaluation(number, None, cases)


def evaluation_text(evaluation):
    """As evaluate writes it, without the figures, which are made from the cases again."""
    figures = [{"precision": None, "recall": None} for _ in evaluation.cases]
    return json.dumps(evaluation_record(evaluation, {}, figures, []))
