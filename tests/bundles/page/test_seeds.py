from io import StringIO

from rich.console import Console

from bundles.made_runs import runs_of
from tellapart.bundles.page import seeds as pages
from tellapart.bundles.seeds import compare_seeds
from tellapart.report import html_document, markdown_document
from tellapart.report.terminal import terminal


def by_seed(*values):
    return {str(i): value for i, value in enumerate(values, start=1)}


SAMPLES = {
    "pass_rate": {
        "base": by_seed(0.71, 0.74, 0.68),
        "long": by_seed(0.765),
        "mixed": by_seed(0.761, 0.79, 0.733),
    },
    "differences": {"base": by_seed(3.0)},
}


def result_of(samples=None, **more):
    return compare_seeds(runs_of(samples or SAMPLES, **more))


RESULT = result_of()


def printed(samples=None, **more):
    console = Console(width=120, record=True, file=StringIO())
    for renderable in terminal(pages.document(result_of(samples, **more))):
        console.print(renderable)
    return [line.rstrip() for line in console.export_text().splitlines()]


ONLY = (
    "Beware: intervals and tests cover the noise of seeds only; how much the items alone leave open is not "
    "recorded"
)


def test_the_headline_is_the_verdict_of_the_first_metric_and_what_it_is_worth():
    shown = pages.headline(RESULT)
    assert shown.startswith(
        "On pass_rate, use long or mixed: none is clearly better. This evaluation separates 1 of 3 pairs. "
    )
    assert shown.endswith(
        f" cannot be told apart yet: one seed says nothing about how much seeds vary: long has one. {ONLY}"
    )
    assert printed()[0].startswith("On pass_rate, use long or mixed: none is clearly better.")


def test_the_terminal_shows_pairs_and_conditions():
    lines = printed()
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
    assert ["pass_rate", "mixed – base", "better", "+5.1", "< 0.001", "< 0.001", "3", "apart"] in cells
    assert ["+4.8 to +5.5", "paired"] in cells
    assert ["base", "0.710", "0.030", "0.680", "0.740", "3", "0.676 to 0.744", "0.635 to 0.785"] in cells
    assert ["long", "0.765", "–¹", "0.765", "0.765", "1", "–¹", "–¹"] in cells
    # The metric has its own name back.
    assert "differences" in lines
    assert "Intervals cover the noise of seeds only." in " ".join(lines)


def test_the_page_and_markdown_have_a_section_for_each_metric():
    document = pages.document(RESULT)
    assert [section.title for section in document.sections] == [
        "Which conditions differ",
        "pass_rate",
        "differences",
    ]
    assert document.commands == ("tellapart bundles seeds FILE --metric pass_rate --metric differences",)
    for form in (html_document, markdown_document):
        assert "use long or mixed: none is clearly better" in form(document)
