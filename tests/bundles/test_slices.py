"""Slices: what a score file keeps, figures by slice against numpy, and the one family that compares them."""

import json

import numpy as np
import pytest

from tellapart.bundles.compare import compare_boards
from tellapart.bundles.run import score
from tellapart.bundles.scoreboards import load_boards
from tellapart.bundles.slices import slice_rates
from tellapart.errors import UsageError


def made_eval(n=80, dimensions=6, seed=5):
    """An eval of its own vectors, an anchor in every two bundles."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        metadata = {"pos": ["noun", "verb", "verb", "adverb"][i % 4], "hard": i % 2 == 0, "lang": "en"}
        metadata |= {
            "cue": {"tier": i % 3},
            "ratio": float(rng.random()),
            "note": f"bundle {i}",
            "tags": ["x"],
        }
        if i % 8 == 0:
            del metadata["pos"]
        negatives = [f"n{i}.{k}" for k in range(1 + i % 3)]
        row = {"id": f"b{i}", "anchor": f"a{i // 2}", "positive": f"p{i}", "negatives": negatives}
        rows.append(row | {"metadata": metadata})
    named = dict.fromkeys(
        text for row in rows for text in (row["anchor"], row["positive"], *row["negatives"])
    )
    return rows, {text: rng.normal(size=dimensions) for text in named}


def vectors(path, texts, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    rows = np.array([*texts.values()])
    moved = (rows + noise * rng.normal(size=rows.shape)).astype(np.float32)
    np.savez(path, texts=np.array([*texts]), vectors=moved)
    return path


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Two models on one eval, its rows and each model's vectors by text."""
    folder = tmp_path_factory.mktemp("slices")
    rows, texts = made_eval()
    (folder / "eval.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths, spaces = [], {}
    for name, noise in (("plain", 0.0), ("noisy", 0.8)):
        file = vectors(folder / f"{name}.npz", texts, noise)
        score(folder / "eval.jsonl", folder / f"{name}.json", embeddings=file)
        paths.append(folder / f"{name}.json")
        stored = np.load(file)
        spaces[name] = dict(zip(stored["texts"].tolist(), stored["vectors"].astype(np.float64), strict=True))
    return paths, rows, spaces


def cosine(space, a, b):
    return space[a] @ space[b] / np.linalg.norm(space[a]) / np.linalg.norm(space[b])


def margin(row, space):
    """From the definition."""
    worst = max(cosine(space, row["anchor"], text) for text in row["negatives"])
    return cosine(space, row["anchor"], row["positive"]) - worst


def test_scores_keep_the_fields_that_sort_bundles(scored):
    paths, rows, _ = scored
    (board,) = load_boards(paths[:1]).boards
    kept = board.scores["metadata"].struct.unnest()
    assert kept.columns == ["hard", "pos"]
    assert kept["pos"].to_list() == [row["metadata"].get("pos") for row in rows]
    assert set(kept["hard"]) == {"true", "false"}


def test_figures_by_field_are_those_of_numpy_and_add_up(scored):
    paths, rows, spaces = scored
    boards = load_boards(paths)
    record = slice_rates(boards, "pos")
    assert record.by == "pos"
    of = {(one.value, one.model): one for one in record.slices}
    for model, space in spaces.items():
        for value in ("verb", "noun", "adverb", "(none)"):
            inside = [margin(row, space) for row in rows if row["metadata"].get("pos", "(none)") == value]
            stats = of[value, model]
            assert stats.n == len(inside)
            assert stats.pass_rate == pytest.approx(np.mean(np.array(inside) > 0), abs=1e-9)
        overall = boards.boards[boards.labels.index(model)].board.overall
        mine = [stats for (_, label), stats in of.items() if label == model]
        assert sum(stats.n for stats in mine) == overall.n
    assert [one.value for one in record.slices[::2]] == ["verb", "adverb", "noun", "(none)"]


def test_slices_are_compared_in_the_secondary_family_and_not_in_the_primary(scored):
    paths, _, _ = scored
    boards = load_boards(paths)
    by_tier, by_pos = compare_boards(boards), compare_boards(boards, by="pos")
    assert by_pos.primary == by_tier.primary
    assert by_pos.secondary.by == "pos"
    pairs = by_pos.secondary.pairs
    assert [pair.stratum for pair in pairs] == ["(none)", "adverb", "noun", "verb"]
    # Holm by hand over all four looks together.
    running, adjusted = 0.0, {}
    for i, pair in enumerate(sorted(pairs, key=lambda pair: pair.p)):
        running = max(running, min(1.0, (4 - i) * pair.p))
        adjusted[pair.stratum] = running
    assert {pair.stratum: pair.p_adjusted for pair in pairs} == pytest.approx(adjusted)


@pytest.mark.parametrize("by", ["poss", "note", "tags"])
def test_what_does_not_sort_bundles_is_refused_with_what_does(scored, by):
    with pytest.raises(UsageError, match=f"no field '{by}' that sorts bundles.*hard, pos, tier"):
        slice_rates(load_boards(scored[0]), by)
