"""Charts of a contrastive run: one a module, each with the sentence that it proves."""

from tellapart.report.contrastive.charts.accuracy import accuracy_chart
from tellapart.report.contrastive.charts.bias import bias_chart
from tellapart.report.contrastive.charts.distractors import distractors_chart
from tellapart.report.contrastive.charts.gaps import gaps_chart
from tellapart.report.contrastive.charts.items_needed import items_needed_chart
from tellapart.report.contrastive.charts.validation import validation_charts

__all__ = [
    "accuracy_chart",
    "bias_chart",
    "distractors_chart",
    "gaps_chart",
    "items_needed_chart",
    "validation_charts",
]
