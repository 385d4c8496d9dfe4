"""The negatives that win most, from scores and the eval that they are of."""

import json

import numpy as np
import pytest

from tellapart.bundles.killers import killers_of
from tellapart.bundles.run import score
from tellapart.bundles.scoreboards import load_boards

HOSTILE = "</pre><script>alert(1)</script>"
# Cosines to every anchor: 1 for "thief", .8 for the hostile text, .6 for the positive, 0 for "weak".
VECTORS = {"thief": [1.0, 0.0], HOSTILE: [4.0, 3.0], "right": [3.0, 4.0], "weak": [0.0, 1.0]}
ANCHORS = {"a0": [2.0, 0.0], "a1": [3.0, 0.0], "a2": [5.0, 0.0]}


def bundle(name, anchor, negatives):
    return {"id": name, "anchor": anchor, "positive": "right", "negatives": negatives}


# "thief" wins b0 and b2, of two anchors; the hostile text b3, b4 and b5, all of one; b1 passes.
ROWS = [
    bundle("b0", "a0", {"near": ["thief", "weak"], "far": [HOSTILE]}),
    bundle("b1", "a0", {"near": ["weak"]}),
    bundle("b2", "a1", {"far": ["weak", "thief"]}),
    *(bundle(f"b{i}", "a2", {"far": [HOSTILE, "weak"]}) for i in (3, 4, 5)),
]


def write_board(folder, name, vectors, rows=ROWS):
    path = folder / f"{name}.npz"
    np.savez(path, texts=np.array([*vectors]), vectors=np.array([*vectors.values()], dtype=np.float32))
    (folder / "e.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    score(folder / "e.jsonl", folder / f"{name}.json", embeddings=path)
    return folder / f"{name}.json"


@pytest.fixture
def boards(tmp_path):
    """``meek`` differs from ``plain`` in that "thief" is unlike the anchors, so that it passes b2."""
    plain = write_board(tmp_path, "plain", VECTORS | ANCHORS)
    meek = write_board(tmp_path, "meek", VECTORS | ANCHORS | {"thief": [-1.0, 0.0]})
    return load_boards([plain, meek])


def test_negatives_that_win_bundles_of_more_anchors_come_first(boards):
    found = killers_of(boards)
    plain = found.by_model["plain"]
    assert [one.negative for one in plain] == ["thief", HOSTILE]
    thief, hostile = plain
    assert (thief.kinds, thief.bundles) == (("far", "near"), 2)
    assert (thief.models["plain"].bundles, thief.models["plain"].anchors) == (2, 2)
    assert thief.models["plain"].margin == pytest.approx(0.6 - 1.0, abs=1e-6)
    assert (thief.example.item, thief.example.position) == ("b0", 0)
    assert (thief.example.anchor, thief.example.positive) == ("a0", "right")
    assert thief.example.margins == pytest.approx({"plain": -0.4, "meek": -0.2}, abs=1e-6)
    assert (hostile.bundles, hostile.models["plain"].bundles, hostile.models["plain"].anchors) == (4, 3, 1)
    # Over both models the hostile text wins bundles of 1 + 2 anchors, since in meek it wins b0 too.
    assert [one.negative for one in found.overall] == [HOSTILE, "thief"]
    assert {label: wins.anchors for label, wins in found.overall[0].models.items()} == {"plain": 1, "meek": 2}
    assert [one.negative for one in found.by_model["meek"]] == [HOSTILE]
