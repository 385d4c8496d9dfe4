"""Charts of an evaluated search: one a module, each with the sentence that it proves."""

from tellapart.codesearch.page.charts.areas import areas_chart
from tellapart.codesearch.page.charts.completeness import completeness_chart
from tellapart.codesearch.page.charts.iterations import overlap_chart, trend_chart

__all__ = ["areas_chart", "completeness_chart", "overlap_chart", "trend_chart"]
