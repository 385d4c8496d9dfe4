import pytest

from tellapart.report import numbers as show


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (show.rate(0.8353), "83.5"),
        (show.whole_percent(0.8353), "84 %"),
        (show.rate_range([0.7892, 0.873]), "78.9–87.3"),
        (show.points(0.0613), "+6.1"),
        (show.points(-0.0044), "−0.4"),
        (show.points(-0.0001), "0.0"),
        (show.points_range([-0.1017, -0.021]), "−10.2 to −2.1"),
        (show.decimal(-0.79772), "−0.798"),
        (show.significant(5.3345), "5.33"),
        (show.significant(0.04707), "0.0471"),
        (show.alike([-0.000949, 0.006]), ["−0.00095", "0.00600"]),
        (show.alike([-1.0, 2.0]), ["−1", "2"]),
        (show.alike([-1e-17, 0.5]), ["0.0", "0.5"]),
        (show.alike([100.0, 200.0]), ["100", "200"]),
        (show.alike([2.0, 12345.0]), ["2", "1.23e+04"]),
        (show.any_size(-0.79772), "−0.798"),
        (show.any_size(0.0000471), "4.71e−05"),
        (show.plain(0.04707), "0.0471"),
        (show.plain(12345678), "12300000"),
        (show.plain(0.00000471), "0.00000471"),
        (show.p_value(0.00099), "< 0.001"),
        (show.items(100_001), ">100,000"),
        (show.between([0.9, 0.84, 0.87], show.whole_percent), "84–90 %"),
        (show.between([0.841, 0.839], show.whole_percent), "84 %"),
        (show.between([0.061, 0.03], lambda value: f"{value:.2f}"), "0.03–0.06"),
        (show.listed([]), ""),
        (show.listed(["a", "b"]), "a and b"),
        (show.listed(["a", "b", "c"]), "a, b and c"),
        (show.listed(["a", "b", "c", "d"], "or", 2), "a, b or 2 more"),
        (show.plural(1, "pair"), "1 pair"),
        (show.plural(3000, "pair"), "3,000 pairs"),
    ],
)
def test_figures_read_as_people_write_them(found, expected):
    assert found == expected
