import json

import pytest

FRUIT = ["apple", "pear", "plum", "fig", "lime", "kiwi"]
TIERS = ["tier1_easy", "tier3_adversarial"]


def write_eval(path, extra=""):
    """Twelve bundles; in the first of each two the words of the anchor are in the positive alone."""
    lines = []
    for i, fruit in enumerate(FRUIT):
        other = FRUIT[(i + 1) % len(FRUIT)]
        easy = {"positive": f"ripe {fruit}{extra}", "negatives": [f"sour {other}", "a stone"]}
        hard = {"positive": f"a {fruit} stone", "negatives": [f"{fruit} red ripe", f"green {other}"]}
        for tier, options in zip(TIERS, (easy, hard), strict=True):
            bundle = {"bundle_id": f"{fruit}-{tier}", "anchor": f"{fruit} ripe red", "tier": tier, **options}
            lines.append(json.dumps(bundle))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def boards(tmp_path, tellapart, monkeypatch):
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "vectors.sqlite"))
    bundles = write_eval(tmp_path / "eval.jsonl")
    paths = []
    for model in ("tfidf", "bm25"):
        path = tmp_path / f"{model}.json"
        scored = tellapart("bundles", "score", bundles, "--model", model, "--out", path)
        assert scored.code == 0, scored.err
        paths.append(path)
    return paths


@pytest.fixture
def another(tmp_path, tellapart, boards):
    path = tmp_path / "another.json"
    bundles = write_eval(tmp_path / "changed.jsonl", extra=" fruit")
    assert tellapart("bundles", "score", bundles, "--model", "tfidf", "--out", path).code == 0
    return path


def test_the_contract(tellapart, boards):
    done = tellapart("bundles", "compare", *boards, "--json", "--max-drop", "1", "--max-q10-drop", "9")
    assert (done.code, done.err) == (0, "")
    record = json.loads(done.out)
    assert (record["fingerprints_match"], record["exploratory"]) == (True, False)
    assert list(record["tiers"]) == ["overall", "tier1_easy", "tier2_robust", "tier3_adversarial"]
    for figures in record["tiers"].values():
        for name in ("pass_rate", "mean_margin", "median_margin", "q10_margin", "q90_margin", "mean_rank"):
            assert {"a", "b", "delta", "p", "p_holm"} <= set(figures[name])
    assert record["tiers"]["tier2_robust"]["pass_rate"]["delta"] is None
    for gate in record["gates"]:
        assert {"name", "limit", "value", "passed"} <= set(gate)
    a, b = (json.loads(path.read_text()) for path in boards)
    for name in ("pass_rate", "q10_margin", "mean_rank"):
        shown = record["tiers"]["overall"][name]
        assert (shown["a"], shown["b"]) == (a["overall"][name], b["overall"][name])


def test_the_verdict_comes_first(tellapart, boards):
    done = tellapart("bundles", "compare", *boards)
    assert done.code == 0
    assert "bm25 (B)" in done.out.splitlines()[0]
    assert "tfidf (A)" in done.out.splitlines()[0]
    assert len(done.out.splitlines()) < 40
    assert done.err == ""


def test_the_same_scoreboard_passes_every_gate(tellapart, boards):
    done = tellapart("bundles", "compare", boards[0], boards[0], "--max-drop", "0", "--max-q10-drop", "0")
    assert done.code == 0
    assert "have the same pass rate" in done.out.splitlines()[0]


def test_a_failed_gate_prints_the_result_and_exits_1(tellapart, boards):
    # The margins of BM25 are not those of a cosine: one of the two directions falls.
    outcomes = []
    for pair in (boards, boards[::-1]):
        done = tellapart("bundles", "compare", *pair, "--json", "--max-q10-drop", "0.0")
        (gate,) = json.loads(done.out)["gates"]
        assert done.code == (0 if gate["passed"] else 1)
        assert gate["passed"] == (gate["value"] <= 0)
        if done.code:
            assert "tier3_adversarial q10_margin fell by" in done.err
        outcomes.append(done.code)
    assert sorted(outcomes) == [0, 1]


def test_another_eval_is_refused_with_both_fingerprints(tellapart, boards, another):
    done = tellapart("bundles", "compare", boards[0], another)
    assert (done.code, done.out) == (1, "")
    for path in (boards[0], another):
        assert json.loads(path.read_text())["eval_header"]["fingerprint"] in done.err
    assert "differ in file" in done.err


def test_another_eval_is_exploratory_where_allowed(tellapart, boards, another):
    allowed = ("bundles", "compare", boards[0], another, "--allow-fingerprint-mismatch")
    done = tellapart(*allowed)
    assert done.code == 0
    assert done.out.startswith("Exploratory, the evals differ")
    record = json.loads(tellapart(*allowed, "--json").out)
    assert (record["fingerprints_match"], record["exploratory"]) == (False, True)
    assert record["items"]["shared"] == 12


def test_a_missing_file_of_scores_is_bad_input(tellapart, boards):
    boards[1].with_name("bm25.scores.parquet").unlink()
    done = tellapart("bundles", "compare", *boards)
    assert (done.code, done.out) == (2, "")
    assert "bm25.json: the scores of each bundle are missing" in done.err
    assert "tellapart bundles score" in done.err


def test_help_says_which_way_round(tellapart):
    shown = tellapart("bundles", "compare", "--help").out
    assert "B minus" in shown
    assert "candidate" in shown
