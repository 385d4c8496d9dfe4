"""Charts of graded conversations: one a module, each with the sentence that it proves."""

from tellapart.longcontext.page.charts.curves import curves_chart
from tellapart.longcontext.page.charts.depths import depths_chart
from tellapart.longcontext.page.charts.lengths import lengths_chart
from tellapart.longcontext.page.charts.steps import steps_chart

__all__ = ["curves_chart", "depths_chart", "lengths_chart", "steps_chart"]
