"""``tellapart next``: what scripts and people get."""

import json
import shlex

import numpy as np
import polars as pl
import pytest

from tellapart.api import next_items
from tellapart.errors import InputError


@pytest.fixture
def stream(tmp_path):
    """Write scores of two models on questions in random order, of which one gets ``gap`` more right."""

    def write(n, gap, *, of=400, layout="rows", name="scores.csv"):
        rng = np.random.default_rng(4)
        items = [f"q{k:03d}" for k in rng.permutation(of)[:n]]
        drawn, other = rng.random((2, n))
        scores = {"big": drawn < 0.5 + gap / 2, "small": other < 0.5 - gap / 2}
        table = pl.concat(
            pl.DataFrame({"model": model, "item": items, "score": right.astype(int)})
            for model, right in scores.items()
        )
        if layout == "rows":
            table = table.sort(pl.col("item").replace_strict({item: k for k, item in enumerate(items)}))
        table.write_csv(tmp_path / name)
        return tmp_path / name, items

    return write


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "items.csv"
    kinds = ["hard" if k % 4 == 0 else "easy" for k in range(400)]
    pl.DataFrame({"item": [f"q{k:03d}" for k in range(400)], "kind": kinds}).write_csv(path)
    return path


def test_a_script_gets_what_to_ask_next(tellapart, stream, pool):
    path, items = stream(40, 0.05)
    done = tellapart("next", path, "--items", pool, "--max-items", 400, "--json")
    answer = json.loads(done.out)
    assert (answer["stop"], answer["verdict"], answer["n"], answer["next_look"]) == (False, None, 40, 60)
    assert len(answer["next_items"]) == 20
    assert not set(answer["next_items"]) & set(items)
    assert 4 <= sum(int(item[1:]) % 4 == 0 for item in answer["next_items"]) <= 6
    assert answer["interval"][0] < 0 < answer["interval"][1]
    assert answer["reason"].endswith("Not decided: ask 20 more items.")
    assert answer["comparison"]["primary"]["pairs"][0]["interval"] == answer["interval"]
    again = tellapart("next", path, "--items", pool, "--max-items", 400, "--json")
    assert again.out == done.out


def test_it_says_what_to_begin_with(tellapart, stream, pool):
    first = json.loads(tellapart("next", "--items", pool, "--json").out)
    assert (first["stop"], first["asked"], first["next_look"], len(first["next_items"])) == (False, 0, 50, 50)
    assert first["reason"] == "Ask every model these 50 items."
    assert 11 <= sum(int(item[1:]) % 4 == 0 for item in first["next_items"]) <= 14
    path, _ = stream(1, 0.0)
    rows = pl.DataFrame({"item": first["next_items"], "big": [1, 0] * 25, "small": [0, 1] * 25})
    rows.write_csv(path)
    then = json.loads(tellapart("next", path, "--items", pool, "--json").out)
    assert (then["asked"], then["looks"], then["stop"]) == (50, 1, False)
    few = json.loads(tellapart("next", "--items", pool, "--max-items", 100, "--json").out)
    assert few["next_items"] == first["next_items"][:10]
    refused = tellapart("next")
    assert (refused.code, "tellapart next --items FILE" in refused.err) == (2, True)


@pytest.mark.parametrize("options", [[], ["--max-items", 400]])
def test_it_stops_when_models_are_told_apart(tellapart, stream, pool, options):
    path, _ = stream(300, 0.4)
    answer = json.loads(tellapart("next", path, "--items", pool, *options, "--json").out)
    assert (answer["stop"], answer["verdict"], answer["next_items"]) == (True, "a>b", [])
    assert answer["n"] == answer["used"] < 120
    people = tellapart("next", path, "--items", pool, *options)
    assert f"After {answer['used']} items: Use big: it beats small by " in people.out


def test_the_order_of_the_rows_counts_whether_item_by_item_or_model_by_model(tellapart, stream):
    paths = [stream(300, 0.4, layout=layout, name=f"{layout}.csv")[0] for layout in ("rows", "models")]
    by_item, by_model = (json.loads(tellapart("next", path, "--json").out)["used"] for path in paths)
    assert by_item == by_model < 120


def test_lists_of_items_may_be_lines(tellapart, stream, tmp_path):
    path, _ = stream(40, 0.0)
    lines = tmp_path / "items.txt"
    lines.write_text("item\n" + "".join(f"q{k:03d}\n" for k in range(400)))
    assert len(json.loads(tellapart("next", path, "--items", lines, "--json").out)["next_items"]) == 10


def test_rows_that_are_appended_to_the_last_file_change_no_order(tellapart, tmp_path):
    rng = np.random.default_rng(0)
    ids = [f"x{k:02d}" for k in rng.permutation(60)]
    first = pl.DataFrame({"model": "a", "item": ids, "score": [1] * 60})
    second = pl.DataFrame({"model": "b", "item": ids, "score": (rng.random(60) < 0.1).astype(int)})
    first.write_csv(tmp_path / "a.csv")
    second.head(30).write_csv(tmp_path / "b.csv")
    words = ("next", tmp_path / "a.csv", tmp_path / "b.csv", "--max-items", 300, "--json")
    before = json.loads(tellapart(*words).out)
    second.write_csv(tmp_path / "b.csv")
    after = json.loads(tellapart(*words).out)
    assert (before["stop"], before["used"], before["verdict"]) == (True, after["used"], after["verdict"])


def test_when_all_items_were_asked_the_last_look_is_at_all_of_them(tellapart, stream, tmp_path):
    path, items = stream(118, 0.3, of=118)
    lines = tmp_path / "items.txt"
    lines.write_text("\n".join(items))
    answers = [
        json.loads(tellapart("next", path, "--items", lines, *most, "--json").out)
        for most in (["--max-items", 600], ["--max-items", 118], [])
    ]
    assert all(answer["stop"] for answer in answers)
    assert answers[0]["interval"] == answers[1]["interval"]
    flat, items = stream(45, 0.0, of=45, name="flat.csv")
    lines.write_text("\n".join(items))
    assert json.loads(tellapart("next", flat, "--items", lines, "--json").out)["used"] == 45


def test_a_run_that_asked_in_the_order_of_ids_is_refused_with_a_command_that_works(tellapart, tmp_path):
    rng = np.random.default_rng(1)
    ids = [f"q{k:03d}" for k in range(60)]
    path = tmp_path / "first run.csv"
    pl.DataFrame({"item": ids, **{m: rng.integers(0, 2, 60) for m in ("a", "b")}}).write_csv(path)
    done = tellapart("next", path)
    assert (done.code, "in the order of their ids" in done.err) == (2, True)
    command = done.err.partition("To compare on all that were asked: ")[2].partition(";")[0]
    assert tellapart(*shlex.split(command)[1:]).code == 0
    with pytest.raises(InputError, match=r"tellapart\.audit\(scores\).*items='FILE'"):
        next_items(path)


def test_what_cannot_be_meant_is_refused(tellapart, stream, tmp_path):
    path, _ = stream(40, 0.0)
    lines, typed = tmp_path / "items.txt", tmp_path / "items.parquet"
    for text, why in {
        "q001\nq002\nq001\n": "the item 'q001' occurs twice",
        "name,kind\nq001,a\n": "no column 'item'",
        "43\n300\n": "none of the 40 items that were asked is among the 2",
    }.items():
        lines.write_text(text)
        done = tellapart("next", path, "--items", lines)
        assert (done.code, why in done.err) == (2, True), why
    done = tellapart("next", path, "--by", "kind")
    assert (done.code, "Add --items FILE" in done.err) == (2, True)
    pl.DataFrame({"item": [b"q001", b"q002"]}).write_parquet(typed)
    assert "neither texts nor numbers" in tellapart("next", path, "--items", typed).err
