import json
from pathlib import Path

import pytest

from tellapart.codesearch.reading import evaluation_at, join_terms
from tellapart.errors import InputError

FIXTURES = Path(__file__).parent / "fixtures"


def test_the_terms_of_the_search_results_are_added(tmp_path):
    recorded = evaluation_at(FIXTURES / "evaluation.json")
    joined = join_terms(recorded, FIXTURES / "search_results.json")
    assert recorded.cases[0].result.terms == () and joined.cases[0].result.terms == ("pictures", "post")
    assert [case.verdicts for case in joined.cases] == [case.verdicts for case in recorded.cases]
    data = json.loads((FIXTURES / "search_results.json").read_text())
    del data["conversations"][0]
    fewer = tmp_path / "fewer.json"
    fewer.write_text(json.dumps(data))
    with pytest.raises(InputError, match="'conv-1' is not here"):
        join_terms(recorded, fewer)
