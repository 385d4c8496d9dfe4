"""OpenAI's MRCR: a long conversation with several alike requests, one of whose replies is to be repeated.

Source:
    The description of the data set ``openai/mrcr``. Its prompt is played as it is: all turns but the last as
    history, the last as the question.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from tellapart.errors import InputError
from tellapart.files import check_record, parse_json
from tellapart.files.tables import Kind, kind_of, read_table
from tellapart.longcontext.case import Case, CaseStep, Expected, Text
from tellapart.longcontext.design import ImportSettings
from tellapart.longcontext.importing.import_cases import Form, Records, Tally, exchanges


class _Record(BaseModel):
    prompt: str
    answer: Text
    random_string_to_prepend: Text
    n_needles: int
    desired_msg_index: int


class _Message(BaseModel):
    role: Literal["system", "user", "assistant"]
    content: str


class _Prompt(BaseModel):
    messages: list[_Message]


def _records(path: Path, settings: ImportSettings) -> Records:
    kind = kind_of(path)
    if kind not in (Kind.PARQUET, Kind.JSON_LINES):
        raise InputError("expected a table in Parquet", where=path)
    return read_table(path, kind).to_dicts()


def _case(record: dict[str, Any], row_number: int, settings: ImportSettings, tally: Tally) -> Case:
    read = check_record(record, _Record, row_number)
    try:
        parsed = parse_json(read.prompt, "'prompt'")
    except InputError as error:
        raise InputError(f"{error.where}: {error.what}") from None
    messages = check_record({"messages": parsed}, _Prompt, row_number).messages
    if not read.answer.startswith(read.random_string_to_prepend):
        raise InputError("'answer' does not begin with 'random_string_to_prepend'")
    if not 0 <= read.desired_msg_index < len(messages):
        raise InputError("'desired_msg_index' is outside of the prompt")
    wanted = read.answer.removeprefix(read.random_string_to_prepend).strip()
    stands = any(message.content.strip() == wanted for message in messages)
    tally["questions whose answer is none of the messages: without evidence"] += not stands
    expected = Expected(
        *("V1", read.answer, f"{read.n_needles} needles"),
        evidence=(wanted,) if stands and wanted else (),
        rule="sequence-ratio",
        prefix=read.random_string_to_prepend,
    )
    system = "\n\n".join(message.content for message in messages if message.role == "system") or None
    turns = [(m.role, m.content) for m in messages if m.role != "system"]
    if not turns or turns[-1][0] != "user" or not turns[-1][1].strip():
        raise InputError("its prompt does not end with a question")
    steps = [
        CaseStep(f"M{number}", "message", text, reply=reply)
        for number, (text, reply) in enumerate(exchanges(turns[:-1], "", tally), 1)
    ]
    question = CaseStep("V1", "verification", turns[-1][1].strip(), expected.failure_mode, expected)
    return Case(f"{read.n_needles}needles-{row_number:04d}", system, (*steps, question))


FORM = Form(
    name="mrcr",
    data_set="OpenAI MRCR",
    licence="MIT",
    marks=((b"PAR1",),),
    case=_case,
    id_key="",
    records=_records,
)
