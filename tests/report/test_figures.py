import re
from types import SimpleNamespace

from audit.page.stored_figures import figures as stored
from audit.page.stored_figures import load
from tellapart.report import figures
from tellapart.report.figures import FIGURES


def test_a_figure_has_one_label_unit_form_and_reason_everywhere():
    result = SimpleNamespace(accuracy=0.5, accuracy_ci=(0.25, 0.75), mean_rank=None, n=1200)
    names = ["accuracy", "mean_rank", "n"]
    assert figures.headings(names) == ["Accuracy, %", "Mean rank (lower is better)", "n"]
    rate, rank, n = figures.cells(result, names, mean_rank="nobody ranked")
    assert (rate.text, rate.detail) == ("50.0", "25.0–75.0")
    assert (rank.text, rank.reason) == ("–", "nobody ranked")
    assert (n.text, n.detail) == ("1,200", "")
    assert figures.interval_cell("mrr", 0.5, None).detail == "no interval"
    assert figures.interval_cell("mrr", 0.5, (-0.25, 0.75)).detail == "−0.250 to 0.750"
    assert figures.interval_cell("mrr", None, None, "2 missing").detail == "2 missing"


def test_whatever_an_audit_gives_to_trackers_is_in_the_table():
    names = {re.sub("_(low|high)$", "", name.rpartition("/")[2]) for name in load(stored()).tracked.numbers}
    assert names - {"undefined"} <= set(FIGURES)
