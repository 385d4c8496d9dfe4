"""Charts of an audit: one a module, each with the sentence that it proves."""

from tellapart.audit.page.charts.item_map import item_chart
from tellapart.audit.page.charts.matrix import matrix_chart
from tellapart.audit.page.charts.power import power_chart
from tellapart.audit.page.charts.ranks import ranks_chart
from tellapart.audit.page.charts.strata import strata_charts
from tellapart.audit.page.charts.variance import variance_chart

__all__ = ["item_chart", "matrix_chart", "power_chart", "ranks_chart", "strata_charts", "variance_chart"]
