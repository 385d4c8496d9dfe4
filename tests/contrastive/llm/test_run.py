import json
from dataclasses import replace

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.model import ModelOutput

from tellapart.contrastive import building, running
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_matching import OrderPlan
from tellapart.contrastive.llm_run import warn_of_unusable
from tellapart.contrastive.selection.levels import levels_named
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
from tellapart.llm.replay import replayed_models
from tellapart.offline import respond
from tellapart.offline.contrastive import overlap

asked = []


@respond("counted")
def counted(prompt):
    asked.append(prompt)
    return overlap(prompt)


@respond("first")
def first(prompt):
    """Nothing that could be read."""
    return "the first"


@respond("first-of-two")
def first_of_two(prompt):
    """Whatever description comes first."""
    if "Description 1" not in prompt:
        return overlap(prompt)
    return json.dumps({"selected": 1, "reasoning": "It is the first."})


@pytest.fixture(autouse=True)
def none_asked():
    asked.clear()


@pytest.fixture(scope="module")
def small(package, tmp_path_factory):
    """Twelve units about which one level asks."""
    out = tmp_path_factory.mktemp("frozen") / "small"
    building.freeze(building.draft([package], BuildOptions(targets=12, levels=levels_named(["easy"]))), out)
    return out


TO_THE_END = Limits(max_failures=0)
COUNTED, FIRST = LanguageModel("offline/counted"), LanguageModel("offline/first")
TABLES = ("items.parquet", "scores.parquet")


def tables(run):
    return [(run.path / name).read_bytes() for name in TABLES]


def test_embedders_and_several_language_models_share_a_run_and_one_journal(small, tmp_path):
    price = {"offline/counted": (1.0, 10.0), "offline/first": (2.0, 0.0)}
    limits = replace(TO_THE_END, price=price)
    run = running.run(small, ["bm25"], llms=[COUNTED, FIRST], out=tmp_path / "run", limits=limits)
    assert list(run.record.models) == ["bm25", "offline/counted", "offline/first"]
    for name in price:
        record = run.record.models[name]
        dollars = record["input_tokens"] * price[name][0] + record["output_tokens"] * price[name][1]
        assert record["cost"] == pytest.approx(dollars / 1e6)
    lines = [json.loads(line) for line in (run.path / "calls.jsonl").read_text().splitlines()]
    items = read_benchmark(small).sets.height
    of = [line["model"] for line in lines if "key" in line]
    # A reply that cannot be read is asked for once more.
    assert (of.count("offline/counted"), of.count("offline/first")) == (items, 2 * items)
    failed = run.frame("items.parquet").filter(model="offline/first")
    assert set(failed.select("missing", "failure").rows()) == {("parse", "not_json")}
    assert failed["correct"].null_count() == items


def test_a_model_without_one_usable_reply_is_told_with_its_commonest_cause(small, tmp_path):
    asked_before = []

    @respond("useless")
    def useless(prompt):
        asked_before.append(prompt)
        return "{}" if len(asked_before) <= 2 else ModelOutput.from_content("m", "", stop_reason="max_tokens")

    llms = [COUNTED, LanguageModel("offline/useless")]
    limits = replace(TO_THE_END, max_connections=1)
    run = running.run(small, ["bm25"], llms=llms, out=tmp_path / "run", limits=limits)
    assert warn_of_unusable(run) == [
        f"offline/useless: 12 of 12 askings have no usable reply, most often truncated (max_tokens, 11 "
        f"times); see {run.path / 'calls.jsonl'}"
    ]


def test_a_recording_makes_the_same_tables_under_a_name_of_its_own(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = OrderPlan(orders=2, repeats=2)
    first_run = running.run(small, [], llms=[COUNTED, FIRST], plan=plan, limits=TO_THE_END)
    before = len(asked)
    again = running.run(small, [], llms=replayed_models(f"replay:{first_run.path}"), plan=plan)
    assert len(asked) == before
    assert tables(again) == tables(first_run)
    assert again.path != first_run.path
    assert again.record.config == first_run.record.config
    assert again.record.inputs.keys() - first_run.record.inputs.keys() == {
        "recording of offline/counted",
        "recording of offline/first",
    }
    # A replay needs nothing of the run that it was made from.
    third = running.run(small, [], llms=replayed_models(str(again.path)), plan=plan)
    assert tables(third) == tables(first_run)


def test_a_new_run_takes_over_what_an_old_one_answered(small, tmp_path):
    old = running.run(small, [], llms=[COUNTED], out=tmp_path / "old")
    before = len(asked)
    new = running.run(
        small, [], llms=[COUNTED], plan=OrderPlan(orders=2), reuse=old.path, out=tmp_path / "new"
    )
    assert len(asked) == 2 * before
    record = new.record.models["offline/counted"]
    assert (record["calls"], record["reused_calls"]) == (2 * before, before)
    assert "reused calls" in new.record.inputs


def test_swaps_are_put_in_both_orders_where_they_are_asked_for(small, tmp_path):
    llms = [COUNTED, LanguageModel("offline/first-of-two")]
    run = running.run(small, ["bm25"], llms=llms, swaps=True, out=tmp_path / "run")
    swaps = run.frame("artifacts/swaps.parquet")
    own = swaps.filter(model="bm25").select("target", "kind", "true", "false").rows()
    assert 0 < len(own) < 12
    for llm in llms:
        assert swaps.filter(model=llm.name).select("target", "kind", "true", "false").rows() == own
    prompts = [prompt for prompt in asked if "Description 1" in prompt]
    assert len(prompts) == len(set(prompts)) == 2 * len(own)
    for _, _, true, false in own:
        lines = [f"| {true}\n", f"| {false}\n"]
        both = [prompt for prompt in prompts if all(line in prompt for line in lines)]
        assert sorted(prompt.index(lines[0]) < prompt.index(lines[1]) for prompt in both) == [False, True]
    # Who always takes the first is right in one of the two orders.
    assert set(swaps.filter(model="offline/first-of-two")["preferred"]) == {0.5}
    results = json.loads((run.artifacts / "report.json").read_text())["swap_accuracy"]
    assert results["offline/first-of-two"]["accuracy"] == 0.5
    assert results["offline/counted"]["accuracy"] == swaps.filter(model="offline/counted")["preferred"].mean()
    assert run.record.config["swaps"] is True
    replayed = replayed_models(f"replay:{run.path}")
    again = running.run(small, ["bm25"], llms=replayed, swaps=True, out=tmp_path / "again")
    assert again.frame("artifacts/swaps.parquet").equals(swaps)


def test_a_swap_without_a_usable_reply_is_missing(small, tmp_path):
    run = running.run(small, [], llms=[FIRST], swaps=True, out=tmp_path / "run", limits=TO_THE_END)
    result = json.loads((run.artifacts / "report.json").read_text())["swap_accuracy"]["offline/first"]
    swaps = run.frame("artifacts/swaps.parquet")
    assert (result["n"], result["accuracy"], result["missing"]) == (0, None, {"parse": swaps.height})
    assert swaps["preferred"].null_count() == swaps.height
