from dataclasses import replace

import pytest

from support.recorded import calls_of

pytest.importorskip("inspect_ai")

from tellapart.contrastive import building, running
from tellapart.contrastive.benchmark import read_benchmark
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.levels import levels_named
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel
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


def test_embedders_and_several_language_models_share_a_run_and_one_journal(small, tmp_path):
    price = {"offline/counted": (1.0, 10.0), "offline/first": (2.0, 0.0)}
    limits = replace(TO_THE_END, price=price)
    run = running.run(small, ["bm25"], llms=[COUNTED, FIRST], out=tmp_path / "run", limits=limits)
    assert list(run.record.models) == ["bm25", "offline/counted", "offline/first"]
    for name in price:
        record = run.record.models[name]
        dollars = record["input_tokens"] * price[name][0] + record["output_tokens"] * price[name][1]
        assert record["cost"] == pytest.approx(dollars / 1e6)
    items = read_benchmark(small).sets.height
    of = [call["model"] for call in calls_of(run.path)]
    # A reply that cannot be read is asked for once more.
    assert (of.count("offline/counted"), of.count("offline/first")) == (items, 2 * items)
    failed = run.frame("items.parquet").filter(model="offline/first")
    assert set(failed.select("missing", "failure").rows()) == {("parse", "not_json")}
    assert failed["correct"].null_count() == items
