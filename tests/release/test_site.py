"""The pages of the documentation: built without network, complete, and loading nothing from elsewhere."""

import re
from pathlib import Path

import pytest

import tellapart

ROOT = Path(__file__).parents[2]
LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=\"([^\"]*)\"")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages as ``make docs`` builds them; a warning ends the build."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    place = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(place), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return place


def test_every_page_of_the_docs_has_its_place(site):
    start = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").exists()
        assert page.stem == "index" or f'href="{page.stem}.html"' in start


def test_pages_load_nothing_from_elsewhere(site):
    loaded = {
        target
        for page in site.glob("*.html")
        for target in LOADED.findall(page.read_text(encoding="utf-8"))
        if re.match(r"(?:https?:)?//", target)
    }
    assert loaded == set()


def test_the_reference_has_every_public_name_with_its_docstring(site):
    page = (site / "api.html").read_text(encoding="utf-8")
    suites = {"bundles", "codesearch", "contrastive", "longcontext", "writers", "__version__"}
    for name in set(tellapart.__all__) - suites:
        assert re.search(rf'<h3 id="[\w.]*\b{name}"', page), name
    assert "Say which models an evaluation separates" in page
    assert "The largest drop that is allowed" in page or "the largest drop that is allowed" in page
