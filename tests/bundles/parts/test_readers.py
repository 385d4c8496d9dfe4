import json

import pytest

from spreads import open_in_process
from tellapart.bundles.parts import run
from tellapart.bundles.run import score
from tellapart.errors import UsageError
from tellapart.parallel import EngineOptions

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
def test_audit_says_the_same_of_scores_in_parts(tellapart, scored, way):
    paths = {
        one: [path.with_name(f"{path.stem}.scores.parquet") for path in boards(scored, one)]
        for one in (way, "one")
    }
    here, there = (printed(tellapart, "audit", *paths[one]) for one in (way, "one"))
    assert without(here, {"sources"}) == without(there, {"sources"})


def test_a_changed_part_is_told_by_every_reader(tellapart, scored, tmp_path):
    folder = tmp_path / "bm25.scores.parquet"
    folder.mkdir()
    board = scored / "folder" / "bm25.json"
    for path in [board, *(scored / "folder" / folder.name).iterdir()]:
        copy = tmp_path / path.relative_to(scored / "folder")
        copy.write_bytes(path.read_bytes())
    [part] = folder.glob("part-*")
    part.write_bytes(part.read_bytes()[:-1])
    for arguments in (("bundles", "report", tmp_path / "bm25.json"), ("audit", folder)):
        done = tellapart(*arguments)
        assert done.code == 2 and part.name in "".join(done.err.split()) and "SHA-256" in done.err


def test_scores_in_one_file_are_not_replaced_by_a_folder(scored, tmp_path):
    out = tmp_path / "board.json"
    (tmp_path / "board.scores.parquet").write_bytes(b"kept")
    with pytest.raises(UsageError, match=r"board\.scores\.parquet"):
        score(scored / "parts", out, model="bm25", engine=EngineOptions(workers=1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.scores.parquet"]
