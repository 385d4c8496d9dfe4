"""The commands from the user's seat: what goes over the wire, what is printed, and what is refused."""

import json

import pytest

pytest.importorskip("inspect_ai")


JUDGES = ("--judge", "offline/honest-judge", "--judge", "offline/family-judge")
HOUSE = ("--family", "offline/family-judge=house", "--family", "offline/first-line=house")
WRITERS = ("offline/names", "offline/first-line", "offline/vague")


@pytest.fixture
def do(tellapart):
    def run(*words):
        done = tellapart(*words)
        assert done.code == 0, done.err
        return done.out

    return run


def test_the_order_of_the_runs_does_not_matter_and_summaries_have_a_cost(do, tmp_path):
    bench, prices = tmp_path / "bench", [part for name in WRITERS for part in ("--price", f"{name}=1,2")]
    source = tmp_path / "code"
    source.mkdir()
    for k, noun in enumerate(("price", "basket", "voucher", "parcel")):
        merge = f"    {noun} = left.merge({k})\n    for part in right:\n        {noun}.add(part)\n"
        count = f"    if left > {noun}_limit:\n        raise ValueError({noun}_limit)\n    right += {k}\n"
        bodies = {f"merge_{noun}": merge, f"count_{noun}": count}
        texts = [f"def {name}(left, right):\n{body}    return right\n" for name, body in bodies.items()]
        (source / f"{noun}.py").write_text("\n\n".join(texts))
    few = ("--targets", 8, "--levels", "easy", "--summaries", f"llm:{','.join(WRITERS)}")
    do("contrastive", "build", source, *few, *prices, "--out", bench)
    do("contrastive", "run", bench, "--model", "bm25", "--out", tmp_path / "run")
    do("writers", "retrieve", bench, "--model", "bm25", "--model", "lsa", "--out", tmp_path / "search")
    do("writers", "judge", bench, *JUDGES, *HOUSE, "--out", tmp_path / "judge")
    runs = [tmp_path / name for name in ("run", "search", "judge")]
    printed = do("writers", "rank", *runs, "--json")
    assert do("writers", "rank", *reversed(runs), "--json") == printed
    for writer in json.loads(printed)["writers"]:
        assert writer["cost_total"] > 0
        assert writer["cost"]["value"] * 8 == pytest.approx(writer["cost_total"])
    shown = " ".join(do("writers", "rank", *runs).split())
    assert "offline/family-judge was not asked about offline/first-line: of its family" in shown


JUDGE, RETRIEVE = ("judge", "bench"), ("retrieve", "bench", "--model", "bm25")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (JUDGE, "--judge"),
        ((*JUDGE, "--judge", "claude"), "the language model 'claude' is not named as PROVIDER/MODEL"),
        ((*JUDGE, "--judge", "offline/honest"), "there is no model 'offline/honest'"),
        ((*JUDGE, *JUDGES, "--family", "names=house"), "--family is 'names=house', expected MODEL=NAME"),
        ((*JUDGE, *JUDGES, *HOUSE, *HOUSE), "--family is 'offline/family-judge=house'"),
        ((*JUDGE, *JUDGES, "--json"), "only a dry run prints JSON"),
        ((*JUDGE, *JUDGES, "--max-cost", "1"), "--max-cost needs to know what tokens cost"),
        ((*RETRIEVE, "--queries", "ofline"), "--queries is 'ofline'"),
        ((*RETRIEVE, "--queries", "llm:"), "--queries is 'llm:'"),
        ((*RETRIEVE, "--max-tokens", "7"), "no language model is asked"),
        ((*RETRIEVE, "--model", "bm26"), "bm26"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_asked(tellapart, bench, tmp_path, words, message):
    ended = tellapart(
        "writers", *(bench if word == "bench" else word for word in words), "--out", tmp_path / "r"
    )
    assert ended.code == 2 and message in " ".join(ended.err.replace("│", " ").split())
    assert not (tmp_path / "r").exists() and not (tmp_path / "r.partial").exists()


def test_one_writer_is_not_searched_for_a_ranking_and_none_is_named_next(tellapart, tiny_bench, tmp_path):
    ended = tellapart("writers", "retrieve", tiny_bench, "--model", "bm25", "--out", tmp_path / "r")
    assert ended.code == 2 and "it takes two to rank. Let several write: " in ended.err
    assert not (tmp_path / "r").exists() and not (tmp_path / "r.partial").exists()
    judged = tellapart("writers", "judge", tiny_bench, *JUDGES, "--out", tmp_path / "judged")
    assert judged.code == 0 and "writers rank" not in judged.err, judged.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "judge=x"], "the part 'judge=x', expected SOURCE=NUMBER"),
        (["--weights", "judge=1,judge=2"], "each source once"),
        (["--weights", "juge=1"], "Did you mean 'judge'?"),
        (["--weights", "judge=0"], "all weights are 0"),
        (["--weights", "judge=-1"], "expected 0 or more"),
        (["--weights", "judge=1"], "or make a run: tellapart writers judge"),
        (["--baseline", "namse"], "Did you mean 'names'?"),
    ],
)
def test_a_ranking_that_cannot_be_made(tellapart, shop_run, options, message):
    ended = tellapart("writers", "rank", shop_run, *options)
    assert ended.code == 2 and message in " ".join(ended.err.split())
