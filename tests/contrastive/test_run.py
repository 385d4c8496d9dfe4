import json

import numpy as np
import pytest

from contrastive.fakes import ScriptedMatcher
from tellapart.contrastive import building, running
from tellapart.contrastive import models as loading
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.page import load
from tellapart.contrastive.selection.levels import levels_named
from tellapart.core.comparison import compare
from tellapart.embed.models.hashing import HashingEmbedder
from tellapart.embed.similarity import VectorMatcher
from tellapart.errors import InputError, UsageError
from tellapart.store import RunDirectory


@pytest.fixture
def loaded(monkeypatch):
    """The models that are loaded instead of those named; a model that is an error is raised."""
    models = {
        "bm25": ScriptedMatcher(lambda query, document: float(len(query + document) % 5), "bm25"),
        "lsa": ScriptedMatcher(lambda query, document: float(len(document) % 7), "lsa"),
    }

    def load(name, **_):
        if isinstance(models[name], BaseException):
            raise models[name]
        return models[name]

    monkeypatch.setattr(loading, "load_matcher", load)
    return models


def test_a_part_that_is_declared_stays_with_the_run_and_its_scores(bench, tmp_path, loaded):
    part = ("difficulty", "hard")
    run = running.run(bench, ["bm25", "lsa"], out=tmp_path / "run", primary=part)
    assert run.record.config["primary"] == list(part)
    found = compare(run.scores())
    assert (found.primary.scope, found.primary.declared) == ("difficulty=hard", True)
    assert [pair.n for pair in found.primary.pairs] == [52]
    with pytest.raises(UsageError, match="another run exists already"):
        running.run(bench, ["bm25", "lsa"], out=tmp_path / "run", primary=("difficulty", "easy"))


class Nan(HashingEmbedder):
    """An embedder that fails on one text."""

    def encode(self, texts, *, kind="document"):
        vectors = super().encode(texts, kind=kind)
        vectors[-1] = np.nan
        return vectors


def test_a_model_with_nan_is_an_error_and_the_others_answers_are_kept(bench, tmp_path, loaded):
    loaded["hashing"] = VectorMatcher(Nan())
    names = ["bm25", "hashing", "lsa"]
    with pytest.raises(InputError, match=r"model 'hashing' gave NaN or infinity for 1 of \d+ query texts"):
        running.run(bench, names, out=tmp_path / "run")
    with pytest.raises(InputError, match="not complete.*resume"):
        RunDirectory.open(tmp_path / "run")
    assert (len(loaded["bm25"].calls), len(loaded["lsa"].calls)) == (2, 0)
    loaded["hashing"] = VectorMatcher(HashingEmbedder())
    run = running.run(bench, names, out=tmp_path / "run")
    assert (len(loaded["bm25"].calls), len(loaded["lsa"].calls)) == (2, 2)
    assert run.scores().models == ["bm25", "hashing", "lsa"]
    assert list(run.record.models) == names


@pytest.fixture
def two_sources(package, tmp_path, draft):
    """A benchmark whose summaries two models wrote: the docstrings, and poor ones of half of the units."""
    texts = draft.texts["docstring"]
    rows = [{"unit": unit, "model": "careful", "summary": text} for unit, text in texts.items()]
    vague = "Does something with {}.".format
    rows += [{"unit": unit, "model": "vague", "summary": vague(unit[:9])} for unit in list(texts)[::2]]
    file = tmp_path / "summaries.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = BuildOptions(targets=60, levels=levels_named(["trivial", "hard"]))
    building.freeze(building.draft([package], options, summaries=f"jsonl:{file}"), tmp_path / "bench")
    return tmp_path / "bench"


def test_of_two_sources_and_two_matchers_the_sources_are_compared(two_sources, tmp_path):
    run = running.run(two_sources, ["bm25", "lsa"], out=tmp_path / "run")
    figures = load(run).report.to_json()
    assert list(figures["overall"]) == ["careful | bm25", "careful | lsa", "vague | bm25", "vague | lsa"]
    scores = run.scores().frame
    assert run.scores().models == ["careful", "vague"]
    # An item counts by the mean over both matchers; half of the items have no summary by the one writer.
    careful = scores.filter(model="careful")["score"].mean()
    both = [figures["overall"][f"careful | {name}"]["mrr"] for name in ("bm25", "lsa")]
    assert careful == pytest.approx(sum(both) / 2)
    assert scores.filter(model="vague")["missing"].drop_nulls().to_list() == ["infeasible"] * 52
