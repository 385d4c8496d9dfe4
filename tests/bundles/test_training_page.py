"""The Python of docs/training.md runs, with a tiny model in the place of the reader's."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from bundles.word_models import bundle, needs_library, word_model
from tellapart.bundles import read_scoreboard
from tellapart.bundles.figures import LOGGED

pytestmark = needs_library

PAGE = Path(__file__).parents[2].joinpath("docs", "training.md").read_text(encoding="utf-8")


SENSES, WORDS = 6, 8


def rows():
    """Texts of one word; words of one sense belong together, which random vectors cannot know."""
    drawn = np.random.default_rng(1)
    found = []
    for i in range(60):
        sense, other = drawn.choice(SENSES, size=2, replace=False)
        a, b, c, d = drawn.permutation(WORDS)[:4]
        words = f"s{sense}w{a}", f"s{sense}w{b}", f"s{other}w{c}", f"s{other}w{d}"
        found.append(bundle(i, *words, tier="tier3" if i % 2 else "tier1"))
    return found


def untrained():
    drawn = np.random.default_rng(2)
    return word_model({f"s{s}w{w}": drawn.normal(size=16) for s in range(SENSES) for w in range(WORDS)})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'pin_memory' argument is set as true but no accelerator")
def test_the_python_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TELLAPART_CACHE", str(tmp_path / "cache.sqlite"))
    untrained().save_pretrained("my-model")
    Path("eval.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    organic = [{**row, "anchor": row["positive"], "positive": row["anchor"], "tier": None} for row in rows()]
    Path("organic.jsonl").write_text("".join(json.dumps(row) + "\n" for row in organic))
    triplets = [
        {"anchor": r["anchor"], "positive": r["positive"], "negative": r["negatives"][0]} for r in rows()
    ]
    Path("train.jsonl").write_text("".join(json.dumps(triplet) + "\n" for triplet in triplets))
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(block, names)
    boards = sorted(path.name for path in Path("run/eval").glob("*.json"))
    assert boards == ["bundles_dev_epoch1.25_step10.json", "bundles_dev_epoch2.5_step20.json"]
    for name in boards:
        board = read_scoreboard(Path("run/eval", name))
        step = int(name.rpartition("step")[2].removesuffix(".json"))
        (logged,) = [
            line
            for line in names["trainer"].state.log_history
            if line["step"] == step and "eval_dev_pass_rate" in line
        ]
        assert logged["eval_dev_pass_rate"] == board.overall.pass_rate
        primary = logged[f"eval_{names['evaluator'].primary_metric}"]
        assert primary == board.by_tier["tier3_adversarial"].pass_rate
        assert board.checkpoint_path.endswith(f"checkpoint-{step}")
    header = read_scoreboard(Path("baseline.json")).eval_header
    assert header.fingerprint == names["evaluator"].fingerprint
    assert names["both"].evaluators[0].primary_metric == "frozen_tier3_adversarial_pass_rate"


def test_every_metric_and_file_that_the_page_names_exists():
    named = re.search(r"\*\*Metrics\*\*.*?over all bundles", PAGE, re.DOTALL).group()
    assert re.findall(r"`(\w+)`", named) == list(LOGGED)
