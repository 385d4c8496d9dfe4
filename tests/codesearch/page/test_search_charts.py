"""What the charts conclude."""

import pytest

from tellapart.codesearch.page.charts import areas_chart
from tellapart.report.charts import WIDE, inline_svg

FAR = {"anomaly": True, "beyond_chance": True}


@pytest.fixture
def gap(stored, viewed):
    """Change what is said of an area's recall, and give the title."""

    def change(area, **changes):
        stored["metrics"]["areas"][area]["below_aggregate"]["recall"] |= changes
        return areas_chart(viewed(stored)).title

    return change


def test_an_area_beyond_chance_goes_before_one_that_may_be_chance(gap):
    assert gap("scheduling", **FAR) == "scheduling is far below the whole, beyond chance"
    assert gap("communities", **FAR) == "communities and scheduling are far below the whole, beyond chance"


def test_only_the_largest_areas_are_drawn(stored, viewed):
    billing = stored["metrics"]["areas"]["billing"]
    stored["metrics"]["areas"] |= {f"area {i:02}": billing | {"count": 1} for i in range(30)}
    chart = areas_chart(viewed(stored))
    assert "13 smaller areas are in the table alone" in chart.description
    picture = inline_svg(chart, WIDE)
    assert all(name in picture for name in ("billing", "scheduling", "area 16"))
    assert "area 17" not in picture
