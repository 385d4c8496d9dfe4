"""Judges from the user's seat: what goes over the wire, what is printed, and what is refused."""

import json

import pytest

pytest.importorskip("inspect_ai")

from contrastive.judging.planted import planted_bench
from support.loopback import LoopbackServer, Status
from tellapart.offline.contrastive import honest_judge

JUDGES = ("--judge", "offline/honest-judge", "--judge", "offline/family-judge")
HOUSE = ("--family", "offline/family-judge=house", "--family", "offline/first-line=house")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return planted_bench(tmp_path_factory.mktemp("planted") / "bench")


@pytest.fixture
def judge(tellapart, bench, tmp_path):
    def run(*options, out="r", bench=bench):
        return tellapart("contrastive", "judge", bench, *options, "--out", tmp_path / out)

    return run


def test_what_a_real_provider_is_sent_and_whose_verdicts_count(judge, tellapart, tmp_path, monkeypatch):
    claude, gpt = "anthropic/claude-x", "openai/gpt-y"
    summaries = [
        (f"work_{k}", writer, f"Text number {k} in the {style} style.")
        for k in range(6)
        for writer, style in ((claude, "long"), (gpt, "short"))
    ]
    bench = planted_bench(tmp_path / "bench", count=6, summaries=summaries)
    turned_down = []

    def reply(request):
        if "number 3 in the short" in request.prompt and not turned_down:
            turned_down.append(request)
            return Status(400)
        return honest_judge(request.prompt)

    with LoopbackServer(reply) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
        done = judge("--judge", claude, "--max-connections", 1, bench=bench)
        assert done.code == 0, done.err
        assert len(server.requests) == 12
        body = server.requests[0].body
        assert (body["temperature"], body["max_tokens"], body["model"]) == (0, 500, "claude-x")
        # Nobody's name goes out but the judge's own, which the provider needs.
        for request in server.requests:
            assert "gpt-y" not in json.dumps(request.body) and claude not in request.prompt
    figures = json.loads(tellapart("contrastive", "report", tmp_path / "r", "--json").out)
    (use,) = figures["judges"]
    assert (use["families"], use["not_counted"], use["failures"]) == (["anthropic"], 6, {"provider": 1})
    counted = {one["writer"]: one["judges"] for one in figures["writers"]}
    assert counted == {gpt: [claude], claude: []}
    assert "comparison" not in figures
    assert figures["cautions"] == [
        f"No judge counts for {claude}: every judge is of the same family, or there was nothing to judge."
    ]


def test_a_report_says_which_writer_is_best_and_which_judge_is_biased(judge, tellapart, tmp_path):
    assert judge(*JUDGES, *HOUSE, "--method", "both").code == 0
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    shown = tellapart("contrastive", "report", tmp_path / "r", "--html", page, "--markdown", text)
    assert shown.code == 0, shown.err
    out = " ".join(shown.out.split())
    assert "se offline/names: it beats both others. This evaluation separates all 3 pairs." in out
    for method in ("pointwise", "pairwise"):
        assert f"offline/family-judge prefers its own family (offline/first-line, {method}) by +" in out
    assert "offline/honest-judge prefers" not in out
    for title in ("Mean scores, from 1 to 5", "Share of points of the row against the column, %",
                  "Judges and their own families", "Judges and the place of a summary, %"):  # fmt: skip
        assert title in page.read_text()
        assert title in text.read_text() and title in out
    figures = json.loads(tellapart("contrastive", "report", tmp_path / "r", "--json").out)
    pairs = {(one["a"], one["b"]): one["verdict"] for one in figures["comparison"]["primary"]["pairs"]}
    assert pairs == {
        ("offline/first-line", "offline/names"): "b>a",
        ("offline/first-line", "offline/vague"): "a>b",
        ("offline/names", "offline/vague"): "a>b",
    }
    # audit reads what counts, and says the same.
    audit = json.loads(tellapart("audit", tmp_path / "r", "--json").out)
    assert {(one["a"], one["b"]): one["verdict"] for one in audit["comparison"]["primary"]["pairs"]} == pairs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--judge"),
        (["--judge", "claude"], "the language model 'claude' is not named as PROVIDER/MODEL"),
        (["--judge", "offline/honest"], "there is no model 'offline/honest'"),
        ([*JUDGES, "--method", "pairs"], "--method is 'pairs'"),
        ([*JUDGES, "--units", "0"], "--units is '0', expected a whole number of at least 1"),
        (
            [*JUDGES, "--family", "names=house"],
            "--family names 'names', which is neither a judge nor a writer",
        ),
        ([*JUDGES, "--json"], "only a dry run prints JSON"),
        ([*JUDGES, "--max-cost", "1"], "--max-cost needs to know what tokens cost"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_asked(judge, tmp_path, options, message):
    ended = judge(*options)
    assert ended.code == 2 and message in " ".join(ended.err.replace("│", " ").split())
    assert not (tmp_path / "r").exists() and not (tmp_path / "r.partial").exists()
