import pytest

from report.contrastive.stored_llms import write_llm_record
from tellapart.report.contrastive import load
from tellapart.store import RunDirectory


@pytest.fixture
def llm_view(tmp_path):
    """The record with language models written by hand."""
    return load(RunDirectory.open(write_llm_record(tmp_path / "llms")))


@pytest.fixture
def llm_view_of(tmp_path):
    """Make the same record with other figures, another record of the run, or other items."""

    def make(**changes):
        return load(RunDirectory.open(write_llm_record(tmp_path / "other", **changes)))

    return make
