"""Charts of an audit: one a module, each with the sentence that it proves."""

from tellapart.report.audit.charts.item_map import item_chart
from tellapart.report.audit.charts.matrix import matrix_chart
from tellapart.report.audit.charts.power import power_chart
from tellapart.report.audit.charts.ranks import ranks_chart
from tellapart.report.audit.charts.strata import strata_charts
from tellapart.report.audit.charts.variance import variance_chart

__all__ = ["item_chart", "matrix_chart", "power_chart", "ranks_chart", "strata_charts", "variance_chart"]
