"""Charts of an audit, each with the sentence that it proves."""

from tellapart.audit.page.charts.items import item_chart
from tellapart.audit.page.charts.models import matrix_chart, ranks_chart, variance_chart
from tellapart.audit.page.charts.power import power_chart

__all__ = ["item_chart", "matrix_chart", "power_chart", "ranks_chart", "variance_chart"]
