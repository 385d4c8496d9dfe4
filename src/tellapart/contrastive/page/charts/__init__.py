"""Charts of a contrastive run: one a module, each with the sentence that it proves."""

from tellapart.contrastive.page.charts.accuracy import accuracy_chart
from tellapart.contrastive.page.charts.bias import bias_chart
from tellapart.contrastive.page.charts.distractors import distractors_chart
from tellapart.contrastive.page.charts.gaps import gaps_chart
from tellapart.contrastive.page.charts.items_needed import items_needed_chart
from tellapart.contrastive.page.charts.validation import validation_charts

__all__ = [
    "accuracy_chart",
    "bias_chart",
    "distractors_chart",
    "gaps_chart",
    "items_needed_chart",
    "validation_charts",
]
