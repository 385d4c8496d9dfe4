"""Charts: four kinds that lay themselves out, and their pictures.

`curves` draws lines against two axes, with their doubt; `histogram` bars from one value to another;
`heatmap` tiles with signs; `scatter` points with names. A page gives the data as ``Point``, ``Bin`` or
``Tile``, and the sentence that they prove. Intervals of models and pairs are tables, see `report.tables`.
"""

from tellapart.report.charts.axes import Axis
from tellapart.report.charts.curves import REFERENCE, Point, Rule, curves
from tellapart.report.charts.heatmap import Tile, heatmap
from tellapart.report.charts.histogram import Bin, histogram
from tellapart.report.charts.picture import NARROW, WIDE, Chart, Drawing, inline_svg, save
from tellapart.report.charts.scatter import Scatter, scatter

__all__ = [
    "Axis",
    "Bin",
    "Chart",
    "Drawing",
    "NARROW",
    "Point",
    "REFERENCE",
    "Rule",
    "Scatter",
    "Tile",
    "WIDE",
    "curves",
    "heatmap",
    "histogram",
    "inline_svg",
    "save",
    "scatter",
]
