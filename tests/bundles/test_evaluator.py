import json

import numpy as np
import pytest

from bundles.word_models import bundle, needs_library, word_model
from tellapart import bundles
from tellapart.bundles import Bundle, read_scoreboard
from tellapart.bundles.figures import LOGGED
from tellapart.bundles.results import scores_path
from tellapart.bundles.run import score
from tellapart.bundles.training_eval import canonical_lines
from tellapart.errors import InputError, UsageError

pytestmark = needs_library

# Cosines with `east`, by their 3-4-5 triangles: near .8, far .6, north 0, west -1.
PLANE = {"east": (1, 0), "near": (4, 3), "far": (3, 4), "north": (0, 2), "west": (-1, 0)}
ROWS = [
    bundle(1, "east", "near", "north", "west", tier="tier1"),  # margin .8 - 0
    bundle(2, "east", "near", "far", "west", tier="tier3"),  # margin .8 - .6
    bundle(3, "east", "far", "near", "west", tier="tier3"),  # margin .6 - .8, rank 2
    bundle(4, "east", "west", "near", "far", tier="tier3"),  # margin -1 - .8, rank 3
]


@pytest.fixture(scope="module")
def plane():
    return word_model(PLANE)


def test_metrics_are_the_figures_by_hand(plane):
    found = bundles.BundleEvaluator(ROWS)(plane)
    expected = {
        "pass_rate": 2 / 4,
        "mean_margin": (0.8 + 0.2 - 0.2 - 1.8) / 4,
        "q10_margin": -1.8 + 0.3 * 1.6,  # place .1 * 3 between the lowest, -1.8, and the next, -.2
        "mean_rank": (1 + 1 + 2 + 3) / 4,
        "mrr": (1 + 1 + 1 / 2 + 1 / 3) / 4,
        "tier3_adversarial_pass_rate": 1 / 3,
        "tier3_adversarial_mean_margin": (0.2 - 0.2 - 1.8) / 3,
        "tier3_adversarial_q10_margin": -1.8 + 0.2 * 1.6,
        "tier3_adversarial_mean_rank": 2,
        "tier3_adversarial_mrr": (1 + 1 / 2 + 1 / 3) / 3,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert found.keys() - expected.keys() == {f"tier1_easy_{name}" for name in LOGGED}
    assert all(type(value) is float for value in found.values())


def test_equals_bundles_score_on_the_same_vectors(tmp_path):
    rng = np.random.default_rng(5)
    words = [f"w{i}" for i in range(40)]
    model = word_model({word: rng.normal(size=24) for word in words})
    drawn = [rng.choice(40, size=6, replace=False) for _ in range(60)]
    rows = [bundle(i, *(words[j] for j in picks), tier=f"tier{1 + i % 3}") for i, picks in enumerate(drawn)]
    path = tmp_path / "eval.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    np.savez(tmp_path / "v.npz", texts=np.array(words), vectors=model.encode(words))
    evaluator = bundles.BundleEvaluator(path)
    metrics = evaluator(model, str(tmp_path))
    apart = score(path, tmp_path / "apart.json", embeddings=tmp_path / "v.npz").board
    ours = read_scoreboard(tmp_path / "bundles.json")
    assert ours.eval_header == apart.eval_header
    assert ours.eval_header.fingerprint == evaluator.fingerprint
    for scope, stats in apart.tiers.items():
        found, expected = (one.model_dump(exclude={"ci95"}) for one in (ours.tiers[scope], stats))
        assert found == pytest.approx(expected, abs=1e-6)
        prefix = "" if scope == "overall" else f"{scope}_"
        for figure in LOGGED:
            assert metrics[prefix + figure] == pytest.approx(getattr(stats, figure), abs=1e-6)


def test_bundles_in_memory_have_the_fingerprint_of_their_canonical_file(plane, tmp_path):
    path = tmp_path / "canonical.jsonl"
    path.write_bytes(canonical_lines(ROWS))
    shuffled_keys = [dict(reversed(row.items())) for row in ROWS]
    for source in (str(path), path, iter(ROWS), shuffled_keys, map(Bundle.from_row, ROWS)):
        assert bundles.BundleEvaluator(source).fingerprint == bundles.BundleEvaluator(ROWS).fingerprint
    assert bundles.BundleEvaluator(path)(plane) == bundles.BundleEvaluator(ROWS)(plane)
    assert bundles.BundleEvaluator(ROWS, seed=1).fingerprint == bundles.BundleEvaluator(
        ROWS
    ).fingerprint.replace("|42|", "|1|")
    assert bundles.BundleEvaluator(ROWS[::-1]).fingerprint != bundles.BundleEvaluator(ROWS).fingerprint


def test_no_evaluation_replaces_another(plane, tmp_path):
    evaluator = bundles.BundleEvaluator(ROWS, name="dev/a")
    for epoch, steps in [(0.5, 10), (1.0, 20), (1.0, 20), (2, -1), (-1, -1)]:
        evaluator(plane, str(tmp_path), epoch, steps)
    bundles.BundleEvaluator(ROWS)(plane, str(tmp_path), None, 0)
    ends = ("epoch0.5_step10", "epoch1_step20-2", "epoch1_step20", "epoch2")
    names = {"bundles_dev_a", "bundles_step0", *(f"bundles_dev_a_{end}" for end in ends)}
    assert {path.stem for path in tmp_path.glob("*.json")} == names
    assert all(scores_path(path).exists() for path in tmp_path.glob("*.json"))
    board = read_scoreboard(tmp_path / "bundles_dev_a_epoch0.5_step10.json")
    assert board.checkpoint_path == str(tmp_path.parent / "checkpoint-10")


def test_a_vector_that_cannot_be_compared_is_refused_or_dropped(plane, caplog):
    rows = [*ROWS, bundle(6, "east", "unheard", "far", tier="tier3")]  # Unknown words are zero.
    evaluator = bundles.BundleEvaluator(rows)
    with pytest.raises(InputError, match=r"memory>:5: positive: zero vector.* with skip_invalid=True\.$"):
        evaluator(plane)
    lenient = bundles.BundleEvaluator(rows, skip_invalid=True)
    for _ in range(3):
        assert lenient(plane)["tier3_adversarial_pass_rate"] == pytest.approx(1 / 3)
    assert [record.getMessage() for record in caplog.records] == [
        "BundleEvaluator: left out 1 bad row(s): 1 zero vector"
    ]
    with pytest.raises(InputError, match="'tier3_adversarial_pass_rate' is undefined"):
        bundles.BundleEvaluator([ROWS[0], rows[-1]], skip_invalid=True)(plane)
    with pytest.raises(InputError, match="gave NaN or infinity for 1 of"):
        bundles.BundleEvaluator(ROWS, skip_invalid=True)(word_model(PLANE | {"far": (np.nan, 1)}))


# By inner products with `east`: near 4, far 3, north 0, west -1; by distances, negated: near -sqrt(18),
# far -sqrt(20), north -sqrt(5), west -2; by sums of differences: near -6, far -6, north -3, west -2.
BY_SIMILARITY = {
    "cosine": (0.8, 0.2, -0.2, -1.8),
    "dot": (4, 1, -1, -5),
    "euclidean": (2 - 18**0.5, 2 - 18**0.5, 2 - 20**0.5, 18**0.5 - 2),
    "manhattan": (-4, -4, -4, 4),
}


@pytest.mark.parametrize("similarity", BY_SIMILARITY)
def test_vectors_are_compared_as_the_model_says_or_as_the_evaluator_does(similarity):
    from sentence_transformers import SimilarityFunction

    model = word_model(PLANE, similarity_fn_name=similarity)
    evaluator = bundles.BundleEvaluator(ROWS)
    found = evaluator(model)
    margins = BY_SIMILARITY[similarity]
    assert found["mean_margin"] == pytest.approx(np.mean(margins), abs=1e-6)
    assert found["pass_rate"] == sum(margin > 0 for margin in margins) / 4
    assert evaluator.last_scoreboard.units["mean_margin"].unit == similarity
    assert evaluator.get_config_dict()["similarity"] == similarity
    for chosen in (similarity, SimilarityFunction(similarity)):
        assert bundles.BundleEvaluator(ROWS, main_similarity=chosen)(word_model(PLANE)) == found


def test_first_dimensions_and_progress_are_as_encoding_has_them(plane, capfd):
    evaluator = bundles.BundleEvaluator(
        ROWS[:3], truncate_dim=1, show_progress_bar=True, main_similarity="dot", max_drop=None
    )
    # By the first dimension alone east is 1, near 4, far 3, north 0 and west -1.
    assert evaluator(plane)["mean_margin"] == pytest.approx((4 + 1 - 1) / 3)
    assert evaluator.get_config_dict()["truncate_dim"] == 1
    assert "Batches: 100%" in capfd.readouterr().err
    with pytest.raises(UsageError, match="'cosin'.*cosine"):
        bundles.BundleEvaluator(ROWS, main_similarity="cosin")
