"""Every command says the same of the same scores, and what is declared is declared before they are known."""

import json

import pytest

MODELS = ("--model", "bm25", "--model", "lsa", "--model", "tfidf")


@pytest.fixture
def run(tellapart, tiny_bench, tmp_path):
    """Let three models answer the benchmark."""

    def made(*options, out="r"):
        done = tellapart("contrastive", "run", tiny_bench, *MODELS, *options, "--out", tmp_path / out)
        assert done.code == 0, done.err
        return tmp_path / out

    return made


def comparison(done):
    assert done.code == 0, done.err
    return json.loads(done.out)["comparison"]


def test_the_report_and_the_audit_of_a_run_say_the_same(tellapart, run):
    path = run()
    report = tellapart("contrastive", "report", path, "--json")
    found = comparison(report)
    assert found == comparison(tellapart("audit", path, "--json"))
    assert (found["primary"]["scope"], found["primary"]["size"]) == ("difficulty=easy", 3)
    assert (found["secondary"]["by"], found["secondary"]["size"]) == ("difficulty", 6)


def test_a_part_that_is_not_there_is_refused_before_anything_is_run(tellapart, tiny_bench, tmp_path):
    done = tellapart(
        "contrastive", "run", tiny_bench, *MODELS, "--primary", "difficulty=esy", "--out", tmp_path / "r"
    )
    assert (done.code, done.out) == (2, "")
    assert "no item of this benchmark has difficulty 'esy'" in done.err
    assert "Did you mean 'easy'?" in done.err
    assert "answers" not in done.err
    assert not list(tmp_path.glob("r*"))
