import json

import pytest

from spreads import open_in_process
from tellapart.bundles.parts import run
from tellapart.bundles.run import score
from tellapart.engines import EngineOptions

MODELS = ("bm25", "tfidf")


def bundle(number):
    words = ["parse", "merge", "count", "filter", "rename", "rows", "orders", "tokens", "pages", "users"]
    one, two, three, four = (words[(number * step + step) % len(words)] for step in (1, 3, 7, 9))
    return {
        "bundle_id": f"b{number:03}",
        "anchor": f"{one} the {two}",
        "positive": f"{one} {three} in {number}",
        "negatives": [f"{two} {four} {number}", f"{three} of {four}"],
    }


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Score one eval with two models: as a folder, as one file, and as one file part by part."""
    root = tmp_path_factory.mktemp("scored")
    lines = [json.dumps(bundle(number)) + "\n" for number in range(90)]
    (root / "parts").mkdir()
    for number in range(3):
        (root / "parts" / f"{number}.jsonl").write_text("".join(lines[number * 30 : number * 30 + 30]))
    (root / "whole.jsonl").write_text("".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "open_spread", open_in_process)
        for model in MODELS:
            score(root / "parts", root / "folder" / f"{model}.json", model=model)
            score(root / "whole.jsonl", root / "cut" / f"{model}.json", model=model, engine=EngineOptions())
            score(root / "whole.jsonl", root / "one" / f"{model}.json", model=model)
    return root


def printed(tellapart, *arguments):
    done = tellapart(*arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def without(record, names):
    """Leave out what says where files are, or of which file the scores are."""
    if isinstance(record, dict):
        return {name: without(value, names) for name, value in record.items() if name not in names}
    return [without(value, names) for value in record] if isinstance(record, list) else record


def boards(root, way):
    return [root / way / f"{model}.json" for model in MODELS]


@pytest.mark.parametrize("way", ["folder", "cut"])
def test_audit_says_the_same_of_scores_made_in_parts(tellapart, scored, way):
    paths = {
        one: [path.with_name(f"{path.stem}.scores.parquet") for path in boards(scored, one)]
        for one in (way, "one")
    }
    here, there = (printed(tellapart, "audit", *paths[one]) for one in (way, "one"))
    assert without(here, {"sources"}) == without(there, {"sources"})
