import json

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.model import ModelOutput

from tellapart.cli.progress import Lines
from tellapart.contrastive import building
from tellapart.contrastive.build_options import BuildOptions
from tellapart.contrastive.llm_summaries import summary_questions
from tellapart.errors import ProviderError
from tellapart.llm.budget import Limits
from tellapart.llm.quoting import material_of
from tellapart.offline import respond

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
    respond("silent")(lambda _: "I cannot say.")
    with pytest.raises(ProviderError, match="no language model wrote a summary .* 12 parse"):
        to_the_end = Limits(max_failures=0)
        building.build(
            [package], OPTIONS, tmp_path / "none", summaries="llm:offline/silent", limits=to_the_end
        )
    everything = BuildOptions(targets=60, levels="trivial", mask_names=False)
    building.build([package], everything, tmp_path / "bench", summaries="llm:offline/plain")
    assert len(asked) == len(set(asked)) == 53  # The one without a docstring too.
    assert (tmp_path / "bench" / "benchmark.json").exists() and not (tmp_path / "bench.partial").exists()
