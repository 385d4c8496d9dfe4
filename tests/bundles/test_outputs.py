import pytest

from tellapart.bundles.results import check_outs
from tellapart.errors import UsageError


@pytest.fixture
def place(tmp_path):
    """Make a file and give its path."""

    def make(name):
        path = tmp_path / name
        path.write_text("kept")
        return path

    return make


def test_what_belongs_to_an_input_is_not_written_over(place):
    given = place("a.json")
    for beside in ("a.scores.parquet", "a.json.version.json"):
        with pytest.raises(UsageError, match="is an input"):
            check_outs([place(beside)], [given])


def test_a_frozen_eval_is_not_written_over(place):
    frozen = place("eval.jsonl")
    place("eval.jsonl.version.json")
    with pytest.raises(UsageError, match=r"frozen: eval.jsonl.version.json .* 'tellapart bundles extend'"):
        check_outs([frozen])
