from dataclasses import replace

from pytest import approx

from codesearch.explored_cases import FAILED, case
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.exporting import qrels, ranking, write_trec
from tellapart.codesearch.model import JudgeVerdict
from tellapart.core.trec_measures import decoded
from tellapart.readers.forms import recognised
from tellapart.readers.retrieval import read_qrels
from tellapart.readers.settings import ReadingSettings

# b is in both runs, a and c in one; of ours x is relevant, y is not, and of z the verdict failed.
ONE = replace(
    case("one", "ab", "bc", "ybzxa"),
    verdicts={
        "repo/x": JudgeVerdict(True),
        "repo/y": JudgeVerdict(False),
        "repo/z": JudgeVerdict(None, failure=FAILED),
    },
)


def evaluation(*cases):
    return Evaluation(2, None, cases)


def test_the_lines_by_hand():
    assert qrels(evaluation(ONE)) == [
        "one 0 repo/a 1",
        "one 0 repo/b 2",
        "one 0 repo/c 1",
        "one 0 repo/x 1",
        "one 0 repo/y 0",
    ]
    assert ranking(evaluation(ONE), "my search") == [
        "one Q0 repo/y 1 5 my%20search",
        "one Q0 repo/b 2 4 my%20search",
        "one Q0 repo/z 3 3 my%20search",
        "one Q0 repo/x 4 2 my%20search",
        "one Q0 repo/a 5 1 my%20search",
    ]


def test_audit_reads_what_is_written(tmp_path):
    odd = replace(
        ONE,
        id="# 17 of 20 %",
        files=("repo/a b.py", "repo/100%25.py"),
        run_a=replace(ONE.run_a, files=("repo/100%25.py",)),
    )
    # The line of names in BEIR's judgements begins with such an id.
    first = replace(ONE, id="query-id")
    empty = case("nothing found by us", "a", "a")
    judgements, run = write_trec(evaluation(first, odd, empty), tmp_path / "new" / "trec", system="grep -r")
    judged = {
        decoded(query): {decoded(file): grade for file, grade in files.items()}
        for query, files in read_qrels(judgements).items()
    }
    assert list(judged) == ["query-id", "# 17 of 20 %", "nothing found by us"]
    assert judged["# 17 of 20 %"]["repo/100%25.py"] == 1
    trec = recognised(run)
    found = trec.read(run, ReadingSettings(qrels=judgements, metric="RR", trec_eval=True))
    assert trec.name == "TREC or MS MARCO run"
    assert {decoded(item): score for item, score in found.frame.select("item", "score").rows()} == {
        "query-id": approx(1 / 2),
        "# 17 of 20 %": approx(1 / 2),
        "nothing found by us": 0,
    }
    assert found.frame["model"].unique().to_list() == ["grep%20-r"]
