"""Language models from the user's seat: what is sent, exit codes, and that nothing is lost or asked twice."""

import pytest

from support.recorded import record_of

pytest.importorskip("inspect_ai")

from support.loopback import LoopbackServer
from tellapart.offline.contrastive import overlap

MODEL = "anthropic/claude-x"

SUMMARY = '{"summary": "Something that a function does."}'


def by_words(request):
    return SUMMARY if '"required": ["summary"]' in request.prompt else overlap(request.prompt)


@pytest.fixture
def served(monkeypatch):
    """A server that answers in place of every provider."""
    with LoopbackServer(by_words) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
        yield server


@pytest.fixture
def run(tellapart, tiny_bench, tmp_path):
    """Run ten items at two levels of difficulty, twenty questions, into a directory of the test."""

    def run(*options, out="r"):
        return tellapart("contrastive", "run", tiny_bench, *options, "--out", tmp_path / out)

    return run


def record(tmp_path, out="r"):
    return record_of(tmp_path / out)


def test_what_was_typed_goes_over_the_wire_and_into_the_record(run, served, tmp_path):
    done = run(
        "--model", "bm25", "--llm", MODEL, "--max-tokens", 700, "--temperature", "0.5", "--orders", 2,
        "--repeats", 2, "--price", "3,15", "--max-connections", 4,
    )  # fmt: skip
    assert (done.code, done.out) == (0, f"{tmp_path / 'r'}\n"), done.err
    assert len(served.requests) == 20 * 2 * 2
    assert served.most_at_once <= 4
    body = served.requests[0].body
    assert (body["max_tokens"], body["temperature"]) == (700, 0.5)
    kept = record(tmp_path)
    assert kept["config"]["plan"] == {"orders": 2, "repeats": 2}
    model = kept["models"][MODEL]
    assert (model["requested"]["max_tokens"], model["effective"]["temperature"]) == (700, 0.5)
    assert model["cost"] == pytest.approx((model["input_tokens"] * 3 + model["output_tokens"] * 15) / 1e6)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "no model is given. Give --model NAME or --llm PROVIDER/MODEL."),
        (("--model", "bm25", "--orders", 2), "this has no effect: --orders"),
        (("--model", "bm25", "--dry-run"), "this has no effect: --dry-run"),
        (("--model", "bm25", "--json"), "only a dry run prints JSON"),
        (("--model", "bm25", "--reuse", "x"), "this has no effect: --reuse"),
        (("--llm", "gpt"), "'gpt' is not named as PROVIDER/MODEL"),
        (("--llm", "antropic/x", "--model", "bm25"), "Did you mean 'anthropic'?"),
        (("--llm", "antropic/x", "--dry-run"), "Did you mean 'anthropic'?"),
        (("--llm", MODEL, "--model", "bm25"), "ANTHROPIC_API_KEY is not set"),
        (("--llm", MODEL, "--max-cost", 5), "--max-cost needs to know what tokens cost"),
        (("--llm", "replay:nowhere"), "there are no calls here"),
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
