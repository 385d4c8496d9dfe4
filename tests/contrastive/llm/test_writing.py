import pytest

pytest.importorskip("inspect_ai")

from contrastive.fakes import make_units
from tellapart.contrastive.llm_summaries import (
    write_summaries,
)
from tellapart.core.progress import SILENT
from tellapart.errors import ProviderError
from tellapart.llm.budget import NO_LIMITS
from tellapart.llm.models import LanguageModel
from tellapart.llm.run_models import RunCalls
from tellapart.offline import respond

UNITS = make_units("one", "two", "three", "four")
IDS = {unit.name: unit.id for unit in UNITS}


def write(directory, *names, limits=NO_LIMITS, progress=SILENT):
    models = [LanguageModel(f"offline/{name}") for name in names]
    return write_summaries(UNITS, models, RunCalls(directory, limits=limits, progress=progress, logs="logs"))


def test_a_benchmark_without_any_summary_is_none(tmp_path):
    respond("silent")(lambda _: "I cannot say.")
    with pytest.raises(
        ProviderError, match=r"calls\.db: no language model wrote .*offline/silent: 4 parse\)"
    ) as error:
        write(tmp_path, "silent")
    assert f"name another model or delete {tmp_path}" in error.value.next_step
    assert not (tmp_path / "models.json").exists()
