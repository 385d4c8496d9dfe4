"""Language models that are asked until they are told apart."""

import json
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")

import tellapart.core
from tellapart.contrastive import building, running
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.selection.levels import levels_named
from tellapart.core.comparison import Verdict, compare
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond
from tellapart.offline.contrastive import overlap


@respond("opposite")
def opposite(prompt):
    """The order of ``overlap``, the worst first."""
    reply = json.loads(overlap(prompt))
    order = reply["order"][::-1]
    return json.dumps({**reply, "order": order, "selected": order[0]})


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Items about our own code: files are clusters, and it takes more than a handful of them."""
    out = tmp_path_factory.mktemp("frozen") / "bench"
    options = BuildOptions(targets=80, levels=levels_named(["easy", "hard"]))
    building.freeze(building.draft([Path(tellapart.core.__file__).parent], options), out)
    return out


MODELS = [LanguageModel("offline/overlap"), LanguageModel("offline/opposite")]


def test_a_run_stops_when_models_are_told_apart_and_reports_the_verdict_of_its_looks(bench, tmp_path):
    run = running.run(bench, [], llms=MODELS, until_separated=True, out=tmp_path / "run")
    scores = run.scores()
    looks = scores.notes.looks
    given = {model: scores.frame.filter(model=model)["item"].to_list() for model in scores.models}
    assert set(given["offline/overlap"]) == set(given["offline/opposite"]) == set(looks.order)
    assert run.record.counts["items"] == len(looks.order) < looks.max_items
    comparison = compare(scores)
    verdicts = {frozenset((pair.a, pair.b)): pair for pair in comparison.primary.pairs}
    decided = verdicts[frozenset(("offline/overlap", "offline/opposite"))]
    assert (decided.ahead, decided.verdict) == ("offline/overlap", Verdict.B_BETTER)
    assert f"asked {len(looks.order)} of at most {looks.max_items} items" in comparison.cautions[-1]
