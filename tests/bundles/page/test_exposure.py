import pytest

from tellapart.report.figures import exposures


@pytest.mark.parametrize(
    ("value", "text"),
    [(49.96, "49.96"), (49.9999, "49.9999"), (50.0, "50.0"), (0.05286, "0.0529"), (0.0, "0.0")],
)
def test_a_threshold_that_is_not_reached_is_not_shown_as_reached(value, text):
    assert exposures(value) == text
