import json

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.model import ModelOutput

from tellapart.cli.progress import Lines
from tellapart.contrastive import building
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_summaries import summary_questions
from tellapart.llm.models import LanguageModel
from tellapart.llm.quoting import material_of
from tellapart.offline import respond

FILES = ("benchmark.json", "units.parquet", "summaries.parquet", "sets.parquet")
OPTIONS = BuildOptions(targets=12, levels="easy,hard", mask_names=False)
WRITER, BOTH = "llm:offline/plain", "llm:offline/plain,offline/strict"


@pytest.fixture
def asked():
    """Prompts of ``offline/plain``, which names every function, and ``offline/strict``, which may refuse."""
    prompts = []

    @respond("plain")
    def plain(prompt):
        prompts.append(prompt)
        name = material_of(prompt).split("(")[0].split()[1].rstrip(":")
        return json.dumps({"summary": f"What {name} does is not easily said."})

    @respond("strict")
    def strict(prompt):
        prompts.append(prompt)
        if len(prompt) % 2:
            return ModelOutput.from_content("strict", "No.", "content_filter")
        return json.dumps({"summary": f"Code of {len(prompt)} characters with its prompt."})

    return prompts


def bytes_of(bench):
    return {name: (bench / name).read_bytes() for name in FILES}


def test_every_model_has_its_summaries_and_what_it_lacks(asked, package, tmp_path):
    built = building.build([package], OPTIONS, tmp_path / "bench", summaries=BOTH)
    targets = {unit.id for unit in built.targets}
    questions = summary_questions(built.targets)
    refused = {question.id: "refusal" for question in questions if len(question.prompt) % 2}
    assert len(targets) == 12
    assert 0 < len(refused) < 12
    assert built.sources == ["offline/plain", "offline/strict"]
    assert built.texts["offline/plain"].keys() == targets
    assert built.texts["offline/strict"].keys() == targets - refused.keys()
    assert built.summary_missing("offline/strict") == refused
    assert built.summary_missing("offline/plain") == {}
    assert built.header.counts["summaries_missing"] == {"offline/plain": {}, "offline/strict": refused}


def test_items_are_those_of_the_docstrings_whoever_writes(asked, package, tmp_path):
    building.freeze(building.draft([package], OPTIONS), tmp_path / "docstring")
    same = {"candidates": "documented"}
    building.build([package], OPTIONS, tmp_path / "bench", summaries=BOTH, **same)
    building.build([package], OPTIONS, tmp_path / "other", summaries="llm:offline/vague", **same)
    docstring, both, other = (bytes_of(tmp_path / name) for name in ("docstring", "bench", "other"))
    assert both["sets.parquet"] == docstring["sets.parquet"] == other["sets.parquet"]
    assert both["units.parquet"] == docstring["units.parquet"] == other["units.parquet"]
    assert len({content["summaries.parquet"] for content in (docstring, both, other)}) == 3


def test_an_interrupted_build_asks_only_for_the_rest_even_with_other_options(asked, package, tmp_path):
    def stop(said):
        if said.startswith("offline/plain: 12 of 12"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        building.build(
            [package], OPTIONS, tmp_path / "bench", summaries="llm:offline/plain", progress=Lines(stop)
        )
    assert [path.name for path in tmp_path.iterdir()] == ["bench.partial"]
    assert len(asked) == 12
    everything = BuildOptions(targets=60, levels="trivial", mask_names=False)
    building.build([package], everything, tmp_path / "bench", summaries="llm:offline/plain")
    assert len(asked) == len(set(asked)) == 53  # The one without a docstring too.
    assert [path.name for path in tmp_path.iterdir()] == ["bench"]


def test_only_what_failed_is_asked_when_an_earlier_benchmark_is_taken_over(asked, package, tmp_path):
    broken, replied = [True], []

    @respond("plain")
    def plain(prompt):
        if broken and len(prompt) % 2:
            raise TimeoutError
        replied.append(prompt)
        return json.dumps({"summary": "Something of this kind."})

    impatient = [LanguageModel("offline/plain", max_retries=0)]
    old = building.build([package], OPTIONS, tmp_path / "old", summaries=impatient)
    failed = old.summary_missing("offline/plain")
    assert (set(failed.values()), len(failed) + len(replied)) == ({"timeout"}, 12)
    broken.clear()
    new = building.build([package], OPTIONS, tmp_path / "new", summaries=impatient, reuse=tmp_path / "old")
    assert new.summary_missing("offline/plain") == {}
    assert len(replied) == len(set(replied)) == 12
    assert new.sets.equals(old.sets)
    record = json.loads((tmp_path / "new" / "llm" / "models.json").read_text())["models"]["offline/plain"]
    assert (record["calls"], record["reused_calls"]) == (12, 12 - len(failed))
    # It is whole without the one that it took over.
    third = building.build(
        [package], OPTIONS, tmp_path / "third", summaries=impatient, reuse=tmp_path / "new"
    )
    assert (len(replied), third.header) == (12, new.header)
