"""Judged pairs as a sheet for people, and their verdicts in the place of the judge's."""

import json
from dataclasses import replace

import pytest

from codesearch.explored_cases import case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.labels import label_sheet, with_labels
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
    assert sheet.columns == ["conversation_id", "issue", "file", "human"]
    pairs = [("1", "repo/d"), ("1", "repo/e"), ("1", "repo/f"), ("1", "repo/g"), ("2", "repo/z")]
    assert sorted(zip(sheet["conversation_id"], sheet["file"], strict=True)) == pairs
    assert set(sheet["human"]) == {None} and set(sheet["issue"]) == {"issue 1", "issue 2"}
    orders = {tuple(label_sheet(evaluation, seed=seed)["file"]) for seed in range(5)}
    assert len(orders) > 1 and label_sheet(evaluation, seed=3).equals(label_sheet(evaluation, seed=3))


def filled(tmp_path, evaluation, labels):
    sheet = label_sheet(evaluation)
    rows = [
        {**row, "human": labels.get((row["conversation_id"], row["file"][-1]), "")}
        for row in sheet.to_dicts()
    ]
    path = tmp_path / "sheet.csv"
    path.write_text(type(sheet)(rows).write_csv())
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
    ("text", "said"),
    [
        ("conversation_id,file,human\n1,repo/d,\n", "no row of this sheet is labelled"),
        ("conversation_id,file,human\n1,repo/d,maybe\n", "sheet.csv:2: 'human' is 'maybe', expected 1, 0"),
        ("conversation_id,file,human\n1,repo/d,1\n1,repo/d,0\n", "sheet.csv:3: 'repo/d' of '1' is labelled"),
        ("conversation_id,file,human\n1,repo/d,1\n1,repo/x,0\n", "1 of 2 labels are of no file to judge"),
        ("conversation_id,file\n1,repo/d\n", "sheet.csv:1: there is no column 'human'"),
        ("", "there is no column"),
    ],
)
def test_a_sheet_that_cannot_be_used_is_refused(tmp_path, evaluation, text, said):
    (tmp_path / "sheet.csv").write_text(text)
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        with_labels(evaluation, tmp_path / "sheet.csv")


def test_without_a_judge_people_judge(tmp_path):
    unjudged = score_evaluation(Evaluation(1, None, (case(1, "ab", "b", "acd"),)))
    assert sorted(label_sheet(unjudged)["file"]) == ["repo/c", "repo/d"]
    sheet = filled(tmp_path, unjudged, {("1", "c"): "1", ("1", "d"): "0"})
    found = score_evaluation(with_labels(unjudged, sheet))
    assert found.metrics.measures["precision"].macro == 2 / 3
    assert "2 verdicts are a person's; there are no others" in found.warnings
    with pytest.raises(InputError, match="nothing to label"):
        label_sheet(Evaluation(1, None, (case(1, "ab", "b", "a"),)))


def test_the_commands_write_the_sheet_and_read_it(tellapart, tmp_path, monkeypatch, evaluation):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.json").write_text(json.dumps(evaluation.to_json()))
    done = tellapart("codesearch", "export", "--in", "e.json", "--to-label", "s.csv")
    assert done.code == 0 and "wrote s.csv: 5 files" in done.err
    rows = (tmp_path / "s.csv").read_text().splitlines()
    assert (rows[0], len(rows)) == ("conversation_id,issue,file,human", 6)
    filled(tmp_path, evaluation, {("1", "e"): "1"})
    done = tellapart("codesearch", "rescore", "--in", "e.json", "--human", "sheet.csv")
    first = json.loads(done.out)["conversations"][0]
    relevant = {one["file"]: one["relevant"] for one in first["our_unique_judgments"]}
    assert (done.code, relevant["repo/e"], relevant["repo/d"]) == (0, True, True)
    refused = tellapart("codesearch", "export", "--in", "e.json")
    assert refused.code == 2 and "Give --trec DIR or --to-label SHEET.csv" in refused.err
