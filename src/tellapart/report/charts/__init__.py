"""Charts: five kinds that lay themselves out, from rows, points, bins and tiles; and their pictures."""

from tellapart.report.charts.axes import GUTTER, Axis, Band, Rule, columns_for
from tellapart.report.charts.curves import REFERENCE, Point, curves
from tellapart.report.charts.heatmap import Tile, heatmap
from tellapart.report.charts.histogram import Bin, histogram
from tellapart.report.charts.picture import NARROW, WIDE, Chart, Drawing, inline_svg, save, spread
from tellapart.report.charts.rows import Row, rows
from tellapart.report.charts.scatter import Scatter, scatter

__all__ = [
    "GUTTER",
    "NARROW",
    "REFERENCE",
    "WIDE",
    "Axis",
    "Band",
    "Bin",
    "Chart",
    "Drawing",
    "Point",
    "Row",
    "Rule",
    "Scatter",
    "Tile",
    "columns_for",
    "curves",
    "heatmap",
    "histogram",
    "inline_svg",
    "rows",
    "save",
    "scatter",
    "spread",
]
