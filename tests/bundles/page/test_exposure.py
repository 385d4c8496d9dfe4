from io import StringIO
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tellapart.bundles.exposure import Exposure
from tellapart.bundles.page import exposure as pages
from tellapart.report import html_document
from tellapart.report.charts import NARROW, WIDE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"
FIELDS = {
    "plan": {
        "steps": 10_000,
        "batch_size": 32,
        "tier3_probability": 0.1,
        "legacy_ratio": 0.75,
        "pool_size": 454,
    },
    "exposure": 52.863436123348,
    "status": "healthy",
    "action": "No action needed",
    "to_restore": {"legacy_ratio": 0.70931, "steps": 9459, "pool_size": 480},
    "why_not": {},
    "seen_fewer": {"50": 0.328356869713, "30": 0.000247199201, "10": 0.0},
}
SEVERE_FIELDS = FIELDS | {
    "plan": FIELDS["plan"] | {"steps": 1000},
    "exposure": 5.286343612335,
    "status": "severe",
    "action": "Regression highly likely",
    "to_restore": {"legacy_ratio": None, "steps": 9459, "pool_size": 48},
    "why_not": {"legacy_ratio": "it would have to be 7.094, above 1"},
    "seen_fewer": {"50": 1.0, "30": 0.9999, "10": 0.9565},
}
NOTHING_FIELDS = SEVERE_FIELDS | {
    "exposure": 0.0,
    "to_restore": dict.fromkeys(SEVERE_FIELDS["to_restore"]),
    "why_not": dict.fromkeys(SEVERE_FIELDS["to_restore"], "nothing is drawn"),
}
FIGURES, SEVERE, NOTHING = map(Exposure.model_validate, (FIELDS, SEVERE_FIELDS, NOTHING_FIELDS))


def printed(figures):
    console = Console(width=100, record=True, file=StringIO())
    for renderable in pages.terminal(figures):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


def words(chart, width):
    root = ElementTree.fromstring(inline_svg(chart, width))
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")], float(root.get("width"))


def test_the_terminal_says_what_could_be_given_up():
    lines = printed(FIGURES)
    assert lines[0] == "Each legacy item will be seen 52.9 times on average: healthy"
    assert "32.8 % fewer than 50 times, < 0.1 % fewer than 30 times, 0.0 % fewer than 10" in " ".join(lines)
    # What is shown is enough: the ratio is rounded up, not to the nearest.
    assert [line.split(maxsplit=2)[-1].strip() for line in lines[-3:]] == [
        "0.75  at least 0.7094",
        "at least 9,459",
        "454      at most 480",
    ]


def test_the_terminal_says_why_a_change_is_not_enough():
    lines = printed(SEVERE)
    assert "• Regression highly likely." in lines
    assert lines[-1] == "–¹ it would have to be 7.094, above 1"
    assert "100.0 % fewer than 50 times, > 99.9 % fewer than 30 times" in " ".join(lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [(49.96, "49.96"), (49.9999, "49.9999"), (50.0, "50.0"), (0.05286, "0.0529"), (0.0, "0.0")],
)
def test_a_threshold_that_is_not_reached_is_not_shown_as_reached(value, text):
    assert pages.headline(FIGURES.model_copy(update={"exposure": value})).split()[6] == text


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_chart_shows_the_present_plan_among_the_bands(width):
    chart = pages.chart(FIGURES)
    assert chart.title == "A pool of 454 items is seen 52.9 times an item; it is healthy up to 480 items"
    shown, drawn_width = words(chart, width)
    assert {"healthy", "warning", "critical", "severe", "454 items, 52.9", "10", "30", "50"} <= set(shown)
    assert drawn_width <= width + 12


def test_the_line_is_draws_over_pool():
    line = next(layer.data for layer in pages.chart(FIGURES).draw(WIDE).layer if layer.mark.type == "line")
    # 24,000 draws over a tenth of 454 items and over ten times as many.
    assert line.select("x", "y").rows() == [
        (45.4, pytest.approx(24_000 / 45.4)),
        (4540, pytest.approx(24_000 / 4540)),
    ]


def test_a_page_without_draws_has_no_chart():
    assert [section.charts for section in pages.document(NOTHING).sections] == [()]


def test_the_page_holds_the_command_that_makes_it_again():
    text = html_document(pages.document(SEVERE))
    command = "--steps 1000 --batch-size 32 --tier3-probability 0.1 --legacy-ratio 0.75 --pool-size 454"
    assert f"tellapart bundles exposure {command}" in text
    assert "Each legacy item will be seen 5.3 times on average: severe" in text
