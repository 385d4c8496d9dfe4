from rich.console import Console

from tellapart.report.tables import Cell, table
from tellapart.report.terminal import fitted_table


def printed(renderable, width):
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_text_of_a_record_is_not_read_as_markup():
    assert "[bold]x[/bold]" in "".join(
        printed(fitted_table(table("t", "T", ["[red]", "n"], [["[bold]x[/bold]", "1"]])), 80)
    )


LONG = table(
    "long",
    "Names",
    ["model", "share", "n", "rate"],
    [["a/name-of-23-characters", "right", "8", Cell("50.0", "1–99; x")]],
    words=2,
)


def test_names_that_would_be_broken_have_lines_of_their_own():
    # 23 + 5 + 1 + 4 for the columns and two between each two.
    assert printed(fitted_table(LONG), 38) == [
        "",
        "Names",
        "model · share",
        "n  rate",
        "a/name-of-23-characters · right",
        "8  50.0",
        "   1–99",
        "      x",
    ]


def test_what_strangers_wrote_moves_no_cursor_in_either_layout():
    name = "a\x1b[31m\nb"
    told = table("t", f"T {name}", ["model", "of all that there are"], [[name, "1"]], note=f"N {name}")
    for width in (80, 12):
        lines = printed(fitted_table(told), width)
        assert (
            "\x1b" not in "".join(lines)
            and "a\N{REPLACEMENT CHARACTER}[31m b" in lines[-2 if width == 80 else -3]
        )
