"""Charts of scoreboards and of mining: one a module, each with the sentence that it proves."""

from tellapart.bundles.page.charts.margins import margins_chart
from tellapart.bundles.page.charts.passes import passes_chart
from tellapart.bundles.page.charts.ranks import ranks_chart
from tellapart.bundles.page.charts.rates import rates_chart

__all__ = ["margins_chart", "passes_chart", "ranks_chart", "rates_chart"]
