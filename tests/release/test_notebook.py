"""The notebook of the examples, run as it is stored: from the first cell to the last, in an empty folder."""

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def stored():
    import nbformat

    return nbformat.read(EXAMPLES / "which_model.ipynb", as_version=4)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    shutil.copy(EXAMPLES / "scores.csv", folder)
    return folder


@pytest.fixture(scope="module")
def outputs(stored, place):
    """What each cell of code shows, by how it starts: the text of print, and what its last line is worth."""
    import copy

    from nbclient import NotebookClient

    notebook = copy.deepcopy(stored)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(place)}}).execute()
    shown = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            printed = "".join(one.text for one in cell.outputs if one.output_type == "stream")
            values = [one.data for one in cell.outputs if one.output_type != "stream"]
            shown[cell.source.split("\n")[0]] = printed, *values
    return shown


def test_it_is_stored_without_outputs_which_would_be_old_one_day(stored):
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell for cell in code if cell.outputs or cell.execution_count] == []


def test_the_verdict_and_its_page(outputs, place):
    verdict, *_ = outputs["result = ta.audit(scores)"]
    assert verdict == (
        "Use minilm: it beats all 3 others. This evaluation separates 5 of 6 pairs. "
        "bm25 and tfidf cannot be told apart yet: too few items.\n"
    )
    printed, page = outputs["result"]
    assert printed == ""
    assert page["text/html"].startswith("<iframe ")
    assert page["text/plain"].startswith(
        "Use minilm: it beats all 3 others.\n• This evaluation separates 5 of 6 pairs.\n"
    )
    assert "minilm" in page["text/html"]
    saved = (place / "audit.html").read_text(encoding="utf-8")
    assert "bm25 and tfidf cannot be told apart yet" in saved


def test_frames_are_of_pandas(outputs):
    _, frame = outputs["pairs = result.to_pandas()"]
    assert "too few items" in frame["text/plain"]
    assert "minilm" not in frame["text/plain"]
    _, kinds = outputs['result.strata.filter(a="bm25", b="tfidf")']
    assert "adversarial" in kinds["text/plain"]


def test_the_gate_passes_one_way_and_fails_the_other(outputs):
    verdict, passed = outputs[
        'gate = ta.compare(scores, baseline="bm25", candidates=["minilm"], max_drop=0.02)'
    ]
    assert verdict.startswith(
        "Passed. No drop beyond 2 points. minilm scored 15.5 points higher than bm25 on 600 items; "
    )
    assert passed["text/plain"] == "True"
    verdict, flips = outputs[
        'reverse = ta.compare(scores, baseline="minilm", candidates=["bm25"], max_drop=0.02)'
    ]
    assert verdict.startswith("FAILED. bm25 is worse than minilm. It scored 15.5 points lower on 600 items; ")
    assert "candidate" in flips["text/plain"]
