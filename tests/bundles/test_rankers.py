"""A real cross-encoder, sparse encoder and late-interaction model beside a bi-encoder, on one eval."""

import json

import numpy as np
import pytest

from bundles.word_models import bundle, needs_library
from embed.tiny_models import write_cross_encoder, write_encoder
from tellapart.bundles.run import score

pytestmark = [needs_library, pytest.mark.slow]

WORDS = ["read", "sort", "write", "file", "names", "list", "whole", "lines", "of", "the", "count", "path"]


@pytest.fixture(scope="module")
def eval_rows():
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size=5)) for _ in range(240)]
    texts = list(dict.fromkeys(texts))
    return [bundle(i, *texts[i * 5 : i * 5 + 5], tier=f"tier{1 + i % 3}") for i in range(len(texts) // 5)]


@pytest.fixture(scope="module")
def boards(eval_rows, tmp_path_factory, monkeypatch_module):
    directory = tmp_path_factory.mktemp("rankers")
    monkeypatch_module.setenv("TELLAPART_CACHE", str(directory / "cache.sqlite"))
    path = directory / "eval.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in eval_rows))
    models = {
        "st": write_encoder(directory / "st", "SentenceTransformer", "BertModel", similarity_fn_name="dot"),
        "ce": write_cross_encoder(directory / "ce", activation="Identity"),
    }
    for stem, model in models.items():
        score(path, directory / f"{stem}.json", model=f"{stem}:{model}", name=stem)
    return directory, models


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def margins_of_the_library(stem, model, rows):
    import sentence_transformers

    if stem == "ce":
        ranker = sentence_transformers.CrossEncoder(str(model), device="cpu")
        pairs = [[(row["anchor"], text) for text in (row["positive"], *row["negatives"])] for row in rows]
        scores = [ranker.predict(shown) for shown in pairs]
    else:
        encoder = sentence_transformers.SentenceTransformer(str(model), device="cpu")
        scores = []
        for row in rows:
            shown = encoder.encode_document([row["positive"], *row["negatives"]])
            between = encoder.similarity(encoder.encode_query([row["anchor"]]), shown)
            scores.append(np.asarray(between)[0])
    return [shown[0] - max(shown[1:]) for shown in scores]


@pytest.mark.parametrize(("stem", "unit"), [("st", "dot"), ("ce", "logit")])
def test_margins_are_the_librarys_and_the_unit_is_recorded(boards, eval_rows, stem, unit):
    import polars as pl

    directory, models = boards
    margins = pl.read_parquet(directory / f"{stem}.scores.parquet")["margin"].to_list()
    expected = margins_of_the_library(stem, models[stem], eval_rows)
    # Differences of scores of up to 30, each within 1e-6 of itself; the library's own move so with the batch.
    assert margins == pytest.approx(expected, abs=3e-5)
    board = json.loads((directory / f"{stem}.json").read_text())
    assert board["units"]["mean_margin"]["unit"] == unit
    assert len({margin > 0 for margin in margins}) == 2


def test_a_cross_encoder_and_a_bi_encoder_are_compared_by_rates_and_not_by_margins(boards, tellapart):
    directory, _ = boards
    first, second = (str(directory / f"{stem}.json") for stem in ("st", "ce"))
    compared = tellapart("bundles", "compare", first, second, "--json")
    [pair] = json.loads(compared.out)["comparison"]["primary"]["pairs"]
    assert compared.code == 0
    assert {pair["a"], pair["b"]} == {"st", "ce"}
    assert pair["n"] == 48
    tellapart("bundles", "report", first, second, "--html", str(directory / "report.html"))
    page = (directory / "report.html").read_text()
    assert "their own median size" in page
