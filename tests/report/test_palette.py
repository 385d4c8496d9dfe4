import re

import pytest

from tellapart.report.palette import css


def luminance(colour):
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture(params=[0, 1], ids=["light", "dark"])
def variables(request):
    blocks = re.findall(r":root\{(.*?)\}", css())
    return dict(pair.removeprefix("--").split(":") for pair in blocks[request.param].split(";"))


def test_every_colour_stands_out_from_the_background(variables):
    assert all(contrast(variables[f"look-{i}"], variables["paper"]) >= 3 for i in range(8))
    assert all(contrast(variables[name], variables["paper"]) >= 4.5 for name in ("ink", "muted"))
