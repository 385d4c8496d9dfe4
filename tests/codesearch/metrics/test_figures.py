import pytest

from codesearch.as_json import as_json
from codesearch.explored_cases import case
from codesearch.judged_cases import judged
from codesearch.recorded_cases import RECORDED_FIGURES, recorded_cases
from tellapart.codesearch.scoring import metrics, with_figures

metrics = as_json(metrics)


def test_recorded_figures_come_out_to_the_third_decimal():
    cases = recorded_cases()
    found = map(with_figures, cases)
    assert {one.id: (one.precision, one.recall) for one in found} == RECORDED_FIGURES
    told = metrics(cases)
    assert told["aggregate"] == {"precision": 0.079, "recall": 0.09, "conversations_evaluated": 3}
    assert told["by_product_area"] == {"uncertain": {"precision": 0.079, "recall": 0.09, "count": 3}}
    assert (told["judging"]["judged"], told["judging"]["failed"]) == (53, {"judge": 197})
    assert told["exploring"]["run_a"]["suspect"] == ["conv-1"]
    # With every file counted once: 3/100, 0 and 9/53; and 100/100, 100/100 and 9/53.
    precision = told["measures"]["precision"]
    assert (precision["macro"], precision["interval"]) == (None, None)
    assert precision["bounds"] == pytest.approx([(0.03 + 9 / 53) / 3, (2 + 9 / 53) / 3])
    assert precision["conversations"] == 1
    assert precision["missing"] == {"judge": 2}


def test_a_conversation_has_documented_figures_rounded_and_ours_as_they_are():
    told = with_figures(judged(1, "ag", None, "abc", yes="b", failed="c"))
    assert (told.precision, told.recall, told.one_run) == (0.667, 0.667, True)
    precision = told.measures["precision"]
    assert (precision.value, precision.bounds, precision.missing) == (None, (2 / 3, 1.0), "judge")
    assert told.measures["recall"].bounds == (2 / 3, 3 / 4)
    bare = with_figures(case(1, "a", "", "ab"))
    assert (bare.precision, bare.measures["f1"].missing) == (None, "judge")
