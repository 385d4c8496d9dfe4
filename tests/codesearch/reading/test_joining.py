import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tellapart.codesearch.reading import evaluation_at, join_file, join_searches, read_search_results
from tellapart.errors import InputError

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def recorded():
    return evaluation_at(FIXTURES / "evaluation.json")


@pytest.fixture
def searches():
    return read_search_results((FIXTURES / "search_results.json").read_bytes())


def test_the_terms_order_and_durations_of_the_search_results_are_added(recorded, searches):
    joined = join_searches(recorded, searches, where="here")
    first, found = joined.cases[0], searches.searched[0].result
    assert recorded.cases[0].result.terms == () and first.result.terms == ("pictures", "post")
    assert first.result == found and first.conversation.classification_confidence == 0
    assert [case.verdicts for case in joined.cases] == [case.verdicts for case in recorded.cases]


def test_another_iteration_another_issue_and_other_files_are_all_told(recorded, searches):
    first, second, third = recorded.cases
    other = replace(first, conversation=replace(first.conversation, issue_summary="something else"))
    fewer = replace(second, result=replace(second.result, files=second.result.files[1:]))
    unknown = replace(third, conversation=replace(third.conversation, id="conv-9"))
    changed = replace(recorded, iteration=2, cases=(other, fewer, unknown))
    with pytest.raises(InputError) as refused:
        join_searches(changed, replace(searches, iteration=1), where="s.json")
    assert str(refused.value) == (
        "s.json: the evaluation was not made from these search results: iteration 2 in the evaluation, 1 "
        "here; conversation 'conv-1' has another issue here, 'pictures of a post do not load'; conversation "
        "'conv-2' has 1 more and 0 fewer files here, such as 'aero/web/dialog.js'; and 1 more. Name the "
        "search results of the same iteration with --search-results FILE."
    )


def test_a_file_beside_the_evaluation_is_joined_only_if_it_agrees(tmp_path, recorded):
    source = Path(shutil.copy(FIXTURES / "evaluation.json", tmp_path))
    assert join_file(recorded, source, None) == (recorded, None)
    beside = Path(shutil.copy(FIXTURES / "search_results.json", tmp_path))
    joined, note = join_file(recorded, source, None)
    assert joined.cases[0].result.terms and note is not None
    assert note == f"search terms of 3 of 3 conversations are read from {beside}"
    assert join_file(recorded, None, None) == (recorded, None)
    assert join_file(joined, source, None) == (joined, None)  # It has terms of its own.
    data = json.loads(beside.read_text())
    del data["conversations"][0]
    beside.write_text(json.dumps(data))
    left, note = join_file(recorded, source, None)
    assert left == recorded and note is not None and note.startswith(f"{beside} is not used: ")
    with pytest.raises(InputError, match="'conv-1' is not here"):
        join_file(recorded, source, beside)
