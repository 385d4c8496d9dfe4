"""The source document's input gives its output, field for field; so do the calls that it describes."""

import json

import pytest

from codesearch.judging.judged import reply
from codesearch.pipeline_files import evaluate_results
from support.loopback import LoopbackServer
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.request import Workspace
from tellapart.codesearch.scoring import doubtful
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.llm.models import LanguageModel

OPUS, SONNET = "claude-opus-4-20250514", "claude-sonnet-4-20250514"
# The documented one is past its end of life, of which its SDK warns.
JUDGE = LanguageModel("anthropic/claude-haiku-4-5")
PINS = "aero/app/services/pins_service.rb"
COMMUNITIES = "aero/app/controllers/communities_controller.rb"
FEED = "aero/app/services/community_feed_service.rb"

INPUT = {
    "iteration_number": 1,
    "timestamp": "2026-01-15T15:30:00Z",
    "conversations": [
        {
            "conversation_id": "12345",
            "issue_summary": "User reports pins not showing in community feed...",
            "product_area": "communities",
            "classification_confidence": 0.85,
            "search_results": {
                "files_found": [PINS, COMMUNITIES],
                "search_terms_used": ["pins", "community", "feed"],
                "exploration_log": [],
            },
        }
    ],
}

OUTPUT = {
    "iteration_number": 1,
    "timestamp": "2026-01-15T15:30:00Z",
    "metrics": {
        # (1 that an exploration found too + 1 judged relevant) / 2 found; the same / (2 + 1 missed).
        "aggregate": {"precision": 1.0, "recall": 0.667, "conversations_evaluated": 1},
        "by_product_area": {"communities": {"precision": 1.0, "recall": 0.667, "count": 1}},
        "calibration": {
            "opus_only_files": 1,
            "sonnet_only_files": 0,
            "both_models_files": 1,
            "overlap_rate": 0.5,
            "recommendation": "Keep Opus-Sonnet hybrid or Opus-only",
        },
    },
    "conversations": [
        {
            "conversation_id": "12345",
            "issue_summary": "User reports pins not showing in community feed...",
            "product_area": "communities",
            "run_a": {"model": OPUS, "files_found": [PINS, FEED], "error": None},
            "run_b": {"model": SONNET, "files_found": [PINS], "error": None},
            "ground_truth_files": [FEED, PINS],
            "our_files": [PINS, COMMUNITIES],
            "intersection": [PINS],
            "our_unique": [COMMUNITIES],
            "ground_truth_unique": [FEED],
            "our_unique_judgments": [
                {"file": COMMUNITIES, "relevant": True, "actionable": "yes", "reasoning": "It was looked at."}
            ],
            "precision": 1.0,
            "recall": 0.667,
            "calibration_data": {"opus_only": [FEED], "sonnet_only": [], "both_models": [PINS]},
        }
    ],
}


def recorded():
    """The explorations, as an earlier evaluation has them."""
    conversation = OUTPUT["conversations"][0]
    return {**OUTPUT, "conversations": [{**conversation, "our_unique_judgments": [], "our_files": []}]}


def documented(found, wanted):
    """What is left of a record without the fields that the document does not have."""
    if isinstance(wanted, dict):
        return {name: documented(found[name], value) for name, value in wanted.items()}
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        return [documented(one, value) for one, value in zip(found, wanted, strict=True)]
    return found


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    for path in (PINS, COMMUNITIES, FEED):
        file = tmp_path / "repos" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"class {file.stem}\nend\n")
    recording = tmp_path / "recorded.json"
    recording.write_text(json.dumps(recorded()))

    def evaluate(source, judge=None):
        around = Workspace(Repositories.open(tmp_path / "repos", ["aero"]), tmp_path / "index")
        settings = EvaluationSettings((f"replay:{recording}",) * 2, judge=judge)
        return evaluate_results(source, settings, around, out=tmp_path / f"run-{judge is None}")

    with LoopbackServer(lambda request: reply(request.messages[0][1], lambda _: True)) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield evaluate


def test_the_documented_input_gives_the_documented_output_field_for_field(evaluate):
    record = evaluate(json.dumps(INPUT).encode(), JUDGE).evaluation.to_json()
    assert documented(record, OUTPUT) == OUTPUT


def test_without_a_judge_there_are_only_bounds(evaluate):
    evaluated = evaluate(json.dumps(INPUT).encode()).evaluation
    record = evaluated.to_json()
    assert record["metrics"]["aggregate"] == {"precision": None, "recall": None, "conversations_evaluated": 1}
    measures = record["conversations"][0]["measures"]
    assert measures["precision"]["bounds"] == [0.5, 1.0]
    assert measures["recall"]["bounds"] == [0.5, pytest.approx(2 / 3)]
    assert measures["recall_union"]["value"] == 0.5
    assert doubtful(evaluated) == []
