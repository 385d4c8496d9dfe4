"""An eval in many files gives what the same eval gives in one."""

import json
from random import Random

import polars as pl
import pytest

from spreads import open_in_process
from tellapart.bundles import run as suite
from tellapart.bundles.parts import spool
from tellapart.errors import InputError

FILES = 4


def rows(count, *, described):
    """Bundles, some anchors in several files; in the third file nothing is said of them but their tier."""
    rng = Random(1)
    for number in range(count):
        row = {
            "bundle_id": f"b{number}",
            "anchor": f"which {rng.choice('abcdef') * 3} is at {rng.randrange(60)}",
            "positive": f"thing {rng.randrange(300)} is {rng.choice(['red', 'blue'])} {number % 7}",
            "negatives": [
                f"no {rng.randrange(900)} thing {rng.randrange(90)}" for _ in range(rng.randint(1, 5))
            ],
        }
        if described:
            row["metadata"] = {"tier": rng.choice(["tier1", "tier2", "tier3"])}
            if number * FILES // count != 2:
                kinds = [
                    {"text": text, "source": rng.choice(["bm25", "random"])} for text in row["negatives"]
                ]
                row |= {"negatives": kinds}
                row["metadata"] |= {"domain": rng.choice(["hr", "it"]), "length": rng.random()}
        yield row


@pytest.fixture
def evals(tmp_path):
    def write(count=400, *, described=False):
        lines = [json.dumps(row) + "\n" for row in rows(count, described=described)]
        whole, folder = tmp_path / "whole.jsonl", tmp_path / "parts"
        whole.write_text("".join(lines))
        folder.mkdir()
        for part in range(FILES):
            some = lines[part * count // FILES : (part + 1) * count // FILES]
            (folder / f"part-{part}.jsonl").write_text("".join(some))
        (folder / "_SUCCESS").write_text("")
        return whole, folder

    return write


@pytest.fixture
def here(monkeypatch):
    """Have parts done in this process."""
    monkeypatch.setattr(suite, "open_spread", open_in_process)


def both(evals, tmp_path, *, described=False, **options):
    whole, folder = evals(described=described)
    of_file = suite.score(whole, tmp_path / "whole.json", **options)
    of_folder = suite.score(folder, tmp_path / "parts.json", **options)
    assert of_folder.board.overall == of_file.board.overall
    assert of_folder.board.by_tier == of_file.board.by_tier
    assert of_folder.board.units == of_file.board.units
    assert of_folder.warnings == of_file.warnings
    return [pl.read_parquet(tmp_path / f"{name}.scores.parquet") for name in ("whole", "parts")]


@pytest.fixture
def small(monkeypatch):
    """Files of few bundles, so that there are many parts."""
    monkeypatch.setattr(spool, "BUNDLES_A_PART", 64)


def test_equals_one_file_and_sorts_bundles_as_there(evals, here, small, tmp_path):
    of_file, of_folder = both(evals, tmp_path, described=True, model="bm25")
    assert "metadata" in of_file.columns
    assert of_folder.equals(of_file)
    written = {f"{name}{end}" for name in ("parts", "whole") for end in (".json", ".scores.parquet")}
    assert {path.name for path in tmp_path.iterdir()} == {"parts", "whole.jsonl", *written}


def test_bad_rows_of_all_files_are_reported_together(evals, here, small, tmp_path):
    _, folder = evals()
    with (folder / "part-1.jsonl").open("a") as file:
        file.write('{"bundle_id": "b3", "anchor": "a", "positive": "p", "negatives": ["n"]}\n')
    with (folder / "part-3.jsonl").open("a") as file:
        file.write('{"bundle_id": "x", "anchor": "a", "positive": "p", "negatives": []}\n')
    with pytest.raises(InputError) as raised:
        suite.score(folder, tmp_path / "out.json", model="hashing")
    text = str(raised.value)
    assert "2 bad row(s): 1 duplicate id, 1 no negatives" in text
    first, second, last = (folder / f"part-{number}.jsonl" for number in (0, 1, 3))
    assert f"{second}:101: bundle_id: duplicate id, 'b3' is also in {first}, line 4" in text
    assert f"{last}:101: negatives: no negatives" in text
    dropping = suite.score(folder, tmp_path / "out.json", model="hashing", skip_invalid=True)
    assert dropping.board.overall.n == 400
    assert "left out 2 bad row(s): 1 duplicate id, 1 no negatives" in dropping.warnings[0]


def test_without_an_engine_python_starts_no_workers(evals, tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "open_spread", None)
    assert suite.score(evals()[1], tmp_path / "board.json", model="bm25").board.overall.n == 400
