import shutil
from pathlib import Path

import polars as pl
import pytest
from threadpoolctl import threadpool_limits

from tellapart.contrastive import building
from tellapart.contrastive.answers import answer
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.building import summaries_by_position
from tellapart.contrastive.selection.candidates import Candidates
from tellapart.contrastive.selection.levels import LEVELS
from tellapart.contrastive.selection.selectors import FusionSelector
from tellapart.contrastive.units import gather_material
from tellapart.embed.registry import load_matcher

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """On busy cores the threads of many tiny fits wait for each other: a validation took 15 s, not 1 s."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """46 functions, 5 methods and a class in six Python files, each with a docstring."""
    return shutil.copytree(FIXTURES / "package", tmp_path_factory.mktemp("repository") / "package")


@pytest.fixture(scope="session")
def polyglot(tmp_path_factory):
    """Six documented functions in Python and six in JavaScript."""
    return shutil.copytree(FIXTURES / "polyglot", tmp_path_factory.mktemp("repository") / "polyglot")


@pytest.fixture(scope="session")
def material(package):
    return gather_material([package])


@pytest.fixture(scope="session")
def fusion(material):
    return FusionSelector(material.units, summaries_by_position(material.units, material.summaries))


@pytest.fixture(scope="session")
def candidates(material, fusion):
    return Candidates(material.units, summaries_by_position(material.units, material.summaries), fusion)


@pytest.fixture(scope="session")
def draft(package):
    """Every unit of the package asked about at the six levels, names and all; it is in memory only."""
    return building.draft([package], BuildOptions(targets=60, levels=LEVELS, mask_names=False))


@pytest.fixture(scope="session")
def bench(draft, tmp_path_factory):
    """The same, frozen: a directory to read, not to change."""
    out = tmp_path_factory.mktemp("frozen") / "bench"
    building.freeze(draft, out)
    return out


@pytest.fixture(scope="session")
def answers(draft):
    """Items and swaps of the three lexical models on the draft, under all conditions."""
    corpus = [unit.content for unit in draft.units]
    parts = [answer(draft, load_matcher(name, corpus=corpus)) for name in ("bm25", "tfidf", "lsa")]
    items, swaps = zip(*parts, strict=True)
    return pl.concat(items), pl.concat(swaps)
