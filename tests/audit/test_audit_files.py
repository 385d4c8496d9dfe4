import numpy as np
import pytest

from tellapart.audit.analysis import audit_files
from tellapart.readers.settings import ReadingSettings


def test_limits_reach_the_bounds(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("model,item,score,missing\na,1,80,\na,2,,parse\nb,1,40,\nb,2,40,\n")
    found = audit_files([path], reading=ReadingSettings(limits=(0, 100)))
    assert found.findings.read_as == ("--limits", "0,100")
    # a is from (80 + 0) / 2 to (80 + 100) / 2, b is 40.
    assert found.findings.pairs[0].bounds == (0.0, 50.0)
    assert found.findings.limits == (0, 100)
    unbounded = audit_files([path], reading=ReadingSettings(limits=(float("-inf"), float("inf"))))
    assert unbounded.findings.pairs[0].bounds == (float("-inf"), float("inf"))
    (stored,) = unbounded.findings.model_dump(mode="json")["comparison"]["primary"]["pairs"]
    assert stored["bounds"] == [None, None]


def test_names_that_hold_a_bar_have_figures_of_their_own(tmp_path):
    path = tmp_path / "s.csv"
    # By kind and item: a|b always passes, b|c never does, and the other two are alike.
    scores = {"a|b": (1, 1), "c": (1, 0), "a": (1, 0), "b|c": (0, 0)}
    rows = [
        f"{model},{kind}{item},{score},{kind}"
        for model, (passed, failed) in scores.items()
        for kind in ("x|y", "z")
        for item, score in enumerate((passed, failed) * 10)
    ]
    path.write_text("\n".join(["model,item,score,kind", *rows]) + "\n")
    found = audit_files([path]).findings
    needed = found.by_stratum["kind"]["z"].items_needed
    assert len(needed) == 6
    # They differ on half the items each, in the same way.
    assert needed[r"a\|b|c"] == needed[r"a|b\|c"]
    assert needed[r"a|b\|c"].value > 0
    assert list(found.order.between_strata["kind"]) == [r"x\|y|z"]


def test_the_smallest_difference_that_matters_is_a_share_of_the_range(tmp_path):
    draw = np.random.default_rng(7)
    scores = np.clip(draw.normal([[0.6], [0.62]], 0.15, (2, 200)), 0, 1).round(3)
    fixes = []
    for factor, digits in ((1, 3), (100, 1)):
        rows = [f"m{m},q{i},{scores[m, i] * factor:.{digits}f}" for m in (0, 1) for i in range(200)]
        path = tmp_path / f"{factor}.csv"
        path.write_text("\n".join(["model,item,score", *rows]))
        findings = audit_files([path], reading=ReadingSettings(limits=(0.0, float(factor)))).findings
        assert findings.options.sesoi == pytest.approx(0.02 * factor)
        (pair,) = findings.pairs
        fixes.append((pair.verdict, pair.items_needed, [fix.cost_items for fix in pair.fix]))
    assert fixes[0] == fixes[1]
