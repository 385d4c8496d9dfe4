"""Judged pairs as a sheet for people, and their verdicts in the place of the judge's."""

from dataclasses import replace

import polars as pl
import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.exporting import label_sheet, with_labels
from tellapart.codesearch.model import Failed, JudgeVerdict, Rest
from tellapart.codesearch.scoring import score_evaluation
from tellapart.errors import InputError

# Only we found d, e and f of the first, and z of the second; of a sample of the rest, g was judged.
FAILED = JudgeVerdict(None, failure=Failed("provider", "timeout", "no reply"))
GONE = JudgeVerdict(None, failure=Failed("infeasible", "withheld", "a secret"))


@pytest.fixture
def evaluation():
    first = case(1, "ab", "b", "adefh", judged="d")
    first = replace(
        first,
        verdicts=first.verdicts | {"repo/f": FAILED, "repo/h": GONE},
        rest=Rest({"near": 1, "far": 1}, {"near": ("repo/g",), "far": ()}, {"repo/g": JudgeVerdict(False)}),
    )
    return score_evaluation(Evaluation(1, None, (first, case(2, "a", "a", "az", judged=""))))


def test_the_sheet_has_every_judged_pair_in_random_order_and_no_verdict(evaluation):
    sheet = label_sheet(evaluation)
    assert sheet.columns == ["code", "item", "question", "answer", "human", "label_probability"]
    assert sorted(sheet["item"]) == ["1/repo/d", "1/repo/e", "1/repo/f", "1/repo/g", "2/repo/z"]
    assert sheet.filter(pl.col("item") != pl.col("question").str.slice(6) + "/" + pl.col("answer")).is_empty()
    assert set(sheet["human"]) == {None} and set(sheet["label_probability"]) == {1.0}
    orders = {tuple(label_sheet(evaluation, seed=seed)["item"]) for seed in range(5)}
    assert len(orders) > 1 and label_sheet(evaluation, seed=3).equals(label_sheet(evaluation, seed=3))


def filled(tmp_path, evaluation, labels):
    sheet = label_sheet(evaluation)
    human = [labels.get((item[0], item[-1])) for item in sheet["item"]]
    path = tmp_path / "sheet.csv"
    sheet.with_columns(human=pl.Series(human, dtype=pl.String)).write_csv(path)
    return path


def test_a_persons_verdict_goes_before_the_judges_and_every_figure_follows(tmp_path, evaluation):
    # The judge called d relevant; a person says that e and f are, and d is not.
    assert evaluation.cases[0].precision == 0.4  # a and d of five.
    sheet = filled(tmp_path, evaluation, {("1", "d"): "0", ("1", "e"): "1", ("1", "f"): "1", ("1", "g"): "1"})
    found = score_evaluation(with_labels(evaluation, sheet))
    assert found.cases[0].our_unique_relevant == {"repo/e", "repo/f"}
    assert found.cases[0].precision == 0.6
    assert found.cases[0].without_verdict == {"repo/h"}
    assert found.cases[0].rest.verdicts["repo/g"].relevant is True
    assert found.cases[1] == evaluation.cases[1]
    assert "4 verdicts are a person's; the judge said the same of 0 of 3" in found.warnings


@pytest.mark.parametrize(
    ("label", "words"),
    [(None, "no answer has a label"), ("0.5", "'human' is 0.5, expected 1 .relevant. or 0")],
)
def test_a_sheet_that_cannot_be_used_is_refused(tmp_path, evaluation, label, words):
    with pytest.raises(InputError, match=words):
        with_labels(evaluation, filled(tmp_path, evaluation, {("1", "d"): label}))


def test_without_a_judge_people_judge(tmp_path):
    unjudged = score_evaluation(Evaluation(1, None, (case(1, "ab", "b", "acd"),)))
    assert sorted(label_sheet(unjudged)["answer"]) == ["repo/c", "repo/d"]
    sheet = filled(tmp_path, unjudged, {("1", "c"): "1", ("1", "d"): "0"})
    found = score_evaluation(with_labels(unjudged, sheet))
    assert found.metrics.measures["precision"].macro == 2 / 3
    assert "2 verdicts are a person's; the judge has none on these files" in found.warnings
    with pytest.raises(InputError, match="nothing to label"):
        label_sheet(Evaluation(1, None, (case(1, "ab", "b", "a"),)))
