"""A real cross-encoder beside a bi-encoder, on one eval."""

import json
from pathlib import Path

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
    return directory


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_a_cross_encoder_and_a_bi_encoder_are_compared_by_rates_and_not_by_margins(boards, tellapart):
    first, second = (str(boards / f"{stem}.json") for stem in ("st", "ce"))
    compared = tellapart("bundles", "compare", first, second, "--json")
    [pair] = json.loads(compared.out)["comparison"]["primary"]["pairs"]
    assert compared.code == 0
    assert {pair["a"], pair["b"]} == {"st", "ce"}
    units = [json.loads(Path(path).read_text())["units"]["mean_margin"]["unit"] for path in (first, second)]
    assert units == ["dot", "logit"]
    assert pair["n"] == 48
    tellapart("bundles", "report", first, second, "--html", str(boards / "report.html"))
    page = (boards / "report.html").read_text()
    assert "Margins are in different units" in page
