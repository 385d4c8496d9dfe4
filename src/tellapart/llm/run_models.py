"""Language models in a run: what its inputs hold of them, and which journals of calls it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tellapart.errors import UsageError
from tellapart.files import sha256_of
from tellapart.llm.models import LanguageModel
from tellapart.llm.replay import CALLS, calls_file
from tellapart.store import RunPlan


def check_distinct(models: Sequence[LanguageModel], *, next_step: str) -> None:
    """Refuse two language models of one name, under which their answers would be mixed.

    Raises:
        UsageError: There are two.
    """
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the language model {name!r} is named twice", next_step=next_step)


def recorded_inputs(models: Mapping[str, LanguageModel], reuse: Path | None) -> dict[str, str]:
    """Fingerprints of the journals that answer in place of models, for the inputs of a run.

    Args:
        models: By what the recording of each is called among the inputs. Those without one have no input.
        reuse: An earlier run, or its journal of calls, that is taken over.

    Raises:
        InputError: A journal is not there, or cannot be read.
    """
    journals = {name: model.recording for name, model in models.items() if model.recording}
    journals |= {"reused calls": reuse} if reuse else {}
    return {name: sha256_of(calls_file(path)) for name, path in journals.items()}


def call_journals(where: RunPlan | Path, reuse: Path | None) -> list[Path]:
    """The journals of calls that a run reads; those that are not there hold nothing.

    Args:
        where: The run, complete, interrupted or not begun; or the directory in which it is being written.
        reuse: An earlier run, or its journal of calls, that is taken over.

    Raises:
        InputError: There is no journal to take over.
    """
    directories = (where.path, where.partial) if isinstance(where, RunPlan) else (where,)
    return [*(directory / CALLS for directory in directories), *([calls_file(reuse)] if reuse else [])]
