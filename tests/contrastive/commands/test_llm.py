"""Language models from the user's seat: what is sent, exit codes, and that nothing is lost or asked twice."""

import pytest

pytest.importorskip("inspect_ai")


MODEL = "anthropic/claude-x"


@pytest.fixture
def run(tellapart, tiny_bench, tmp_path):
    """Run ten items at two levels of difficulty, twenty questions, into a directory of the test."""

    def run(*options, out="r"):
        return tellapart("contrastive", "run", tiny_bench, *options, "--out", tmp_path / out)

    return run


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "no model is given. Give --model NAME or --llm PROVIDER/MODEL."),
        (("--model", "bm25", "--orders", 2), "this has no effect: --orders"),
        (("--model", "bm25", "--json"), "only a dry run prints JSON"),
        (("--model", "bm25", "--reuse", "x"), "this has no effect: --reuse"),
        (("--llm", "antropic/x", "--model", "bm25"), "Did you mean 'anthropic'?"),
        (("--llm", MODEL, "--model", "bm25"), "ANTHROPIC_API_KEY is not set"),
        (("--llm", MODEL, "--max-cost", 5), "--max-cost needs to know what tokens cost"),
        (("--llm", MODEL, "--reuse", "nowhere", "--dry-run"), "there are no calls here"),
    ],
)
def test_what_cannot_work_is_told_before_any_work(run, tmp_path, monkeypatch, options, sentence):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    before = sorted(tmp_path.rglob("*"))
    done = run(*options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1
    assert sentence in done.err
    assert sorted(tmp_path.rglob("*")) == before
