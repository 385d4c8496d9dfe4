import pytest

from codesearch.as_json import as_json
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
