from codesearch.judged_cases import judged
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.exporting import qrels, ranking

# b is in both runs, a and c in one; of ours x is relevant, y is not, and of z the verdict failed.
ONE = judged("one", "ab", "bc", "ybzxa", yes="x", no="y", failed="z")


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
