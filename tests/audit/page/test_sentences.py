import pytest

from audit.page.stored_figures import figures, load, two_models, why
from tellapart.audit.page import sentences
from tellapart.audit.page.sentences import headline, missing, to_know_first
from tellapart.audit.results import PARTS
from tellapart.core.stats.paired_parts import VarianceComponents


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (two_models(why=[why("ceiling", "")]), "a and b cannot be told apart yet: the items are too easy"),
        (two_models("a>b"), "Use a: it beats b by 10 points (95 % interval −10.0 to 30.0)"),
        (two_models("equivalent"), "a and b are equivalent within 2 points"),
        (two_models("withheld"), "No verdict for a and b: missing scores could undo it"),
        (two_models(reason="no item that both have a score on."), None),
        ({**two_models(), "pairs": []}, "There are no two models to compare"),
    ],
)
def test_two_models_have_a_headline_each_way(found, expected):
    assert headline(load(found)) == (
        expected or "a and b cannot be told apart yet: no item that both have a score on"
    )


def test_missing_scores_are_told_by_cause_unless_a_caution_does():
    view = load(figures())
    assert missing(view.missing) == ["Scores missing: 10 timeout and 2 parse, of delta."]
    assert to_know_first(view) == ["delta was not asked 3 of the items.", *missing(view.missing)]
    told = load({**figures(), "cautions": [{"kind": "missing", "text": "12 are missing."}]})
    assert to_know_first(told) == ["12 are missing."]
    assert missing(load(two_models()).missing) == []


def test_shares_of_the_variance_sum_to_one():
    found = figures()
    found["variance"] |= {"model": 0.0, "item": 0.15, "model_item": 0.05}
    shares = sentences.variance_shares(load(found))
    assert shares == pytest.approx({"model": 0.0, "item": 0.75, "model_item": 0.25})


def test_every_part_of_the_variance_has_words():
    assert list(PARTS) == [name for name in VarianceComponents.__dataclass_fields__ if name != "reason"]
