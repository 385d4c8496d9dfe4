import json

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai.model import ModelOutput

from contrastive.fakes import make_units
from tellapart.contrastive.llm_summaries import (
    write_summaries,
)
from tellapart.contrastive.summaries import Summary
from tellapart.core.progress import SILENT
from tellapart.errors import ProviderError
from tellapart.llm.budget import NO_LIMITS
from tellapart.llm.models import LanguageModel
from tellapart.llm.quoting import material_of
from tellapart.llm.run_models import RunCalls
from tellapart.offline import respond

UNITS = make_units("one", "two", "three", "four")
IDS = {unit.name: unit.id for unit in UNITS}


def name_of(prompt):
    return material_of(prompt).removeprefix("def ").removesuffix("(): ...")


@pytest.fixture
def asked():
    """Prompts of the model ``offline/writer``, which refuses to write about ``three``."""
    prompts = []

    @respond("writer")
    def writer(prompt):
        prompts.append(prompt)
        if name_of(prompt) == "three":
            return ModelOutput.from_content("writer", "No.", "content_filter")
        return json.dumps({"summary": f"This one is about number {name_of(prompt)}."})

    return prompts


def write(directory, *names, limits=NO_LIMITS, progress=SILENT):
    models = [LanguageModel(f"offline/{name}") for name in names]
    return write_summaries(UNITS, models, RunCalls(directory, limits=limits, progress=progress, logs="logs"))


def test_what_was_written_and_what_was_refused(asked, tmp_path):
    found = write(tmp_path, "writer", "vague")
    texts = [(summary.source, summary.unit) for summary in found.summaries]
    assert texts == [("offline/writer", IDS[name]) for name in ("four", "one", "two")] + [
        ("offline/vague", IDS[name]) for name in ("four", "one", "three", "two")
    ]
    assert found.summaries[1] == Summary(IDS["one"], "offline/writer", "This one is about number one.")
    assert found.missing == {"offline/writer": {IDS["three"]: "refusal"}, "offline/vague": {}}


def test_a_benchmark_without_any_summary_is_none(tmp_path):
    respond("silent")(lambda _: "I cannot say.")
    with pytest.raises(
        ProviderError, match=r"calls\.jsonl: no language model wrote .*offline/silent: 4 parse\)"
    ) as error:
        write(tmp_path, "silent")
    assert error.value.next_step == (
        f"Every reply is kept. None is requested again: name another model, or delete {tmp_path} to ask "
        "it again"
    )
    assert not (tmp_path / "models.json").exists()
