"""What the charts conclude."""

from tellapart.codesearch.page.charts import areas_chart
from tellapart.report.charts import WIDE, inline_svg


def test_only_the_largest_areas_are_drawn(stored, viewed):
    billing = stored["metrics"]["areas"]["billing"]
    stored["metrics"]["areas"] |= {f"area {i:02}": billing | {"count": 1} for i in range(30)}
    chart = areas_chart(viewed(stored))
    assert "13 smaller areas are in the table alone" in chart.description
    picture = inline_svg(chart, WIDE)
    assert all(name in picture for name in ("billing", "scheduling", "area 16"))
    assert "area 17" not in picture


def test_an_area_beyond_chance_is_the_title(stored, viewed):
    assert areas_chart(viewed(stored)).title == "No product area is far below the whole beyond chance"
    stored["metrics"]["areas"]["scheduling"]["below_aggregate"]["recall"] |= {"anomaly": True, "p": 0.01}
    assert areas_chart(viewed(stored)).title == "scheduling is far below the whole, beyond chance"
