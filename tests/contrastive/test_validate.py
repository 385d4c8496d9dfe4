import pytest

from tellapart.contrastive import methods
from tellapart.contrastive.methods import with_original_sets
from tellapart.contrastive.selection.original import BASELINE, PHASE1, choose_by_original_method
from tellapart.core.comparison import compare, to_json
from tellapart.core.scores import ScoreTable

LEVELS = ["trivial", "easy", "medium", "hard", "very_hard", "adversarial"]
MODELS = ["bm25", "tfidf", "lsa"]


@pytest.fixture(scope="module")
def whole(draft, candidates):
    return with_original_sets(draft, candidates)


@pytest.fixture(scope="module")
def validation(draft):
    return methods.validate(draft, MODELS)


def test_the_documents_methods_ask_about_the_same_targets(draft, candidates, whole):
    assert whole.sets["level"].unique(maintain_order=True).to_list() == ["baseline", "phase1", *LEVELS]
    targets = {name: group["target"].to_list() for (name,), group in whole.sets.group_by("level")}
    assert len(targets["hard"]) == 52
    assert all(set(asked) == set(targets["hard"]) for asked in targets.values())
    for method in (BASELINE, PHASE1):
        expected = list(choose_by_original_method(candidates, range(52), method, seed=42))
        found = whole.sets.filter(level=method.name)
        assert found["distractors"].list.len().to_list() == [method.count] * 52
        assert found["distractors"].to_list() == [list(item.distractors) for item in expected]
        assert found["strategies"].to_list() == [list(item.strategies) for item in expected]


@pytest.mark.parametrize("name", ["baseline", "phase1", "hard"])
def test_each_set_up_is_compared_as_an_experiment_of_its_own(validation, name):
    setup = validation.setups.to_json()["phase2"].get(name) or validation.setups.to_json()[name]
    own = ScoreTable.from_frame(validation.scores.frame.filter(difficulty=name))
    assert setup["comparison"] == to_json(compare(own)) | {"secondary": None}
