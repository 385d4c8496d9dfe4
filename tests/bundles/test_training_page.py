"""The Python of docs/training.md runs, with a tiny model in the place of the reader's."""

import json
import re
from pathlib import Path

import pytest

from bundles.test_training import rows, untrained
from bundles.word_models import needs_library
from tellapart.bundles import read_scoreboard
from tellapart.bundles.figures import LOGGED

pytestmark = needs_library

PAGE = Path(__file__).parents[2].joinpath("docs", "training.md").read_text(encoding="utf-8")


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
    last = names["trainer"].state.log_history[-2]
    primary = last[f"eval_{names['evaluator'].primary_metric}"]
    assert primary == read_scoreboard(Path("run/eval", boards[-1])).by_tier["tier3_adversarial"].pass_rate
    header = read_scoreboard(Path("baseline.json")).eval_header
    assert header.fingerprint == names["evaluator"].fingerprint
    assert names["both"].evaluators[0].primary_metric == "frozen_tier3_adversarial_pass_rate"


def test_every_metric_and_file_that_the_page_names_exists():
    named = re.search(r"\*\*Metrics\*\*.*?over all bundles", PAGE, re.DOTALL).group()
    assert re.findall(r"`(\w+)`", named) == list(LOGGED)
