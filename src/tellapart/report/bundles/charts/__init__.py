"""Charts of scoreboards and of mining: one a module, each with the sentence that it proves."""

from tellapart.report.bundles.charts.margins import margins_chart
from tellapart.report.bundles.charts.passes import passes_chart
from tellapart.report.bundles.charts.ranks import ranks_chart
from tellapart.report.bundles.charts.rates import rates_chart

__all__ = ["margins_chart", "passes_chart", "ranks_chart", "rates_chart"]
