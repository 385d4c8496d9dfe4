"""Cases that are played until models are told apart."""

import json

import pytest

pytest.importorskip("inspect_ai")


def test_a_run_stops_and_its_grading_compares_at_the_same_looks(tellapart, tmp_path):
    cases, played, graded = tmp_path / "cases", tmp_path / "played", tmp_path / "graded"
    assert (
        tellapart("longcontext", "generate", "--out", cases, "--lengths", "1K", "--conversations", 40).code
        == 0
    )
    models = ("--model", "offline/recalls-16k", "--model", "offline/fails-needles")
    words = ("longcontext", "run", cases, *models, "--fork-probes", "--quiet", "--until-separated")
    assert tellapart(*words, "--run", played).code == 0
    results = json.loads((played / "artifacts/experiment-results.json").read_text())
    looks = results["looks"]
    conversations = [(case["model"], case["caseName"]) for case in results["cases"]]
    by_model = [{name for model, name in conversations if model == one} for one in models[1::2]]
    assert by_model[0] == by_model[1] == {item.split("/")[0] for item in looks["order"]}
    assert len(by_model[0]) < 40
    tellapart(
        "longcontext", "grade", played, "--cases", cases, "--run", graded, "--out", tmp_path / "report.md"
    )
    answer = json.loads(tellapart("audit", graded, "--json").out)
    assert answer["comparison"]["primary"]["pairs"][0]["verdict"] == "b>a"
    assert (
        f"asked {len(looks['order'])} of at most {looks['max_items']} items"
        in answer["comparison"]["cautions"][-1]
    )


@pytest.mark.parametrize(
    ("models", "options", "fault"),
    [
        (["offline/recalls"], [], "there are no two models"),
        (["offline/recalls", "offline/recalls-16k"], ["--control", "closed-book"], "tells no models apart"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(tellapart, tmp_path, models, options, fault):
    cases = tmp_path / "cases"
    tellapart("longcontext", "generate", "--out", cases, "--lengths", "1K", "--conversations", 1)
    named = [word for model in models for word in ("--model", model)]
    done = tellapart("longcontext", "run", cases, *named, *options, "--until-separated")
    assert (done.code, fault in done.err) == (2, True)
