"""Language models as writers of summaries: what they are asked, what is accepted, and who wrote what."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from tellapart.contrastive.llm_matching import LONGEST_CODE, Questions, cut
from tellapart.contrastive.summaries import SHORTEST, Summary
from tellapart.errors import ProviderError
from tellapart.extraction.unit import Unit
from tellapart.files import write_text
from tellapart.llm.journal import CALLS
from tellapart.llm.models import LanguageModel
from tellapart.llm.prompts import Prompt, read_prompt, schema_text
from tellapart.llm.questions import Answer, Question
from tellapart.llm.quoting import quote
from tellapart.llm.run_models import RunCalls

LONGEST = 600
"""Characters of a summary: two long sentences; more would describe the code line by line."""

_COPIED = 20
"""Characters from which a line of code that comes back is a copy; shorter ones are chance."""

# A line of a unit without such a sign may be prose, such as a line of its docstring; prose may be repeated.
_CODE_SIGN = re.compile(r"[()\[\]{}=;]")
_COMMENT = re.compile(r"#|//|/?\*|--|<!--")


class Described(BaseModel):
    """What a model replies."""

    model_config = ConfigDict(extra="forbid")

    summary: str


@cache
def summarise_prompt() -> Prompt:
    """The prompt of every unit."""
    return read_prompt("tellapart.contrastive", "summarise")


def summary_questions(units: Sequence[Unit]) -> Questions[Unit, Described]:
    """Ask about each of ``units``; a question's id is the unit's."""
    return Questions(
        units, lambda unit: Question(unit.id, _prompt(unit), Described, partial(wrong_with, unit))
    )


def wrong_with(unit: Unit, reply: Described) -> str | None:
    """Say what is wrong with a summary, or None: its length, a fence, or a line of the unit's code."""
    text = _plain(reply.summary)
    if not SHORTEST <= len(text) <= LONGEST:
        return f"'summary' has {len(text)} characters, expected {SHORTEST} to {LONGEST}"
    if "```" in text or any(line in text for line in _lines_of_code(unit)):
        return "'summary' contains code, expected plain sentences"
    return None


def summaries_from(
    source: str, answers: Mapping[str, Answer[Described]]
) -> tuple[list[Summary], dict[str, str]]:
    """Tell what one model wrote from what it did not."""
    written: list[Summary] = []
    missing: dict[str, str] = {}
    for unit, answer in sorted(answers.items()):
        if answer.value is not None:
            written.append(Summary(unit, source, _plain(answer.value.summary)))
        elif answer.failure is not None:
            missing[unit] = answer.failure.cause
    return written, missing


def _prompt(unit: Unit) -> str:
    quoted = quote([cut(unit.content, LONGEST_CODE)])
    return summarise_prompt().render(
        marker=quoted.marker,
        kind=unit.type,
        language=unit.language,
        code=quoted.texts[0],
        shortest=SHORTEST,
        longest=LONGEST,
        schema=schema_text(Described),
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _lines_of_code(unit: Unit) -> Iterator[str]:
    for line in unit.content.splitlines():
        text = _plain(line)
        if len(text) >= _COPIED and _CODE_SIGN.search(text) and not _COMMENT.match(text):
            yield text


def write_summaries(
    units: Sequence[Unit], llms: Sequence[LanguageModel], calls: RunCalls
) -> tuple[list[Summary], dict[str, dict[str, str]]]:
    """Let each model write a summary of each unit; by model and unit, say why one is missing."""
    questions = summary_questions(units)
    for llm in llms:
        calls.check(llm, questions)
    summaries: list[Summary] = []
    missing: dict[str, dict[str, str]] = {}
    models: dict[str, Any] = {}
    with calls.opened() as open_calls:
        for llm in llms:
            session = open_calls.ask(questions, llm)
            written, missing[llm.name] = summaries_from(llm.name, session.by_id)
            summaries += written
            models[llm.name] = session.record
    if not summaries:
        raise _nothing_written(missing, calls.directory)
    record = {"prompt": summarise_prompt().sha256, "models": models}
    write_text(calls.directory / "models.json", json.dumps(record, indent=2, sort_keys=True) + "\n")
    return summaries, missing


def _nothing_written(missing: dict[str, dict[str, str]], directory: Path) -> ProviderError:
    causes = {source: sorted(Counter(units.values()).items()) for source, units in missing.items()}
    counted = "; ".join(
        f"{source}: {', '.join(f'{count:,} {cause}' for cause, count in counts)}"
        for source, counts in causes.items()
    )
    return ProviderError(
        f"no language model wrote a summary that could be used ({counted})",
        where=directory / CALLS,
        next_step="Every reply is kept. The same command asks again what failed on the way or was beyond "
        f"--max-cost; for other replies, name another model or delete {directory}",
    )
