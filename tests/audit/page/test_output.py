import re
from pathlib import Path

import pytest

from audit.page.stored_figures import HOSTILE, figures, items, load, many_models, two_models
from tellapart.audit.page import output

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def page():
    return output.html(load(figures()), (("run", "run.html"),))


def test_markdown_is_as_recorded():
    assert output.markdown(load(figures())) == (GOLDEN / "audit_report.md").read_text(encoding="utf-8")


def test_identifiers_are_unique_and_nothing_is_loaded(page):
    found = re.findall(r'\sid="([^"]+)"', page)
    assert len(found) == len(set(found))
    assert re.findall(r'(?:src|href)="([^"#][^"]*)"', page) == ["run.html"]
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(found)


def test_sections_stand_in_the_order_of_the_questions(page):
    assert re.findall(r'<section id="(\w+)"', page) == [
        "verdict",
        "causes",
        "strata",
        "items",
        "order",
        "smallest",
        "missing",
    ]
    assert "## Kinds of items" not in output.markdown(load(two_models(), items(10)))


def test_columns_of_any_name_have_identifiers():
    found = figures()
    found["by_stratum"] = {HOSTILE: found["by_stratum"]["difficulty"], "a b": {}, "ab": {}}
    text = output.html(load(found, items()))
    assert re.findall(r'<table id="(table-(?:strata|means|needed)[^"]*)"', text)
    assert all(re.fullmatch(r"[\w-]+", one) for one in re.findall(r'<table id="([^"]*)"', text))


def test_many_models_do_not_swell_the_page():
    assert len(output.html(load(many_models(60), items()))) < 2_000_000


def test_many_pairs_are_cut_and_counted():
    text = output.markdown(load(many_models(30), items()))
    assert "235 more pairs: --json." in text
    assert "102 more pairs that are not separated" in text


def test_what_is_asked_for_is_written_and_the_same_every_time(tmp_path, page):
    output.write_report(load(figures()), markdown=tmp_path / "audit.md")
    assert [path.name for path in tmp_path.iterdir()] == ["audit.md"]
    output.write_report(load(figures()), html=tmp_path / "audit.html", links=(("run", "run.html"),))
    assert (tmp_path / "audit.html").read_text(encoding="utf-8") == page
    output.write_report(load(figures()))
    assert len(list(tmp_path.iterdir())) == 2


def test_the_line_that_makes_a_report_again_says_how_its_files_were_read():
    read = figures() | {"sources": {"a b.csv": "plain table"}, "read_as": ["--columns", "item=id"]}
    text = output.markdown(load(read, items()))
    assert "tellapart audit 'a b.csv' --columns item=id --sesoi 0.02 --seed 42" in text
    assert "tellapart audit" not in output.markdown(load(read | {"sources": {}}, items()))
