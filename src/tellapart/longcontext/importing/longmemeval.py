"""LongMemEval: one question on a history of many sessions with an assistant.

Source:
    Wu et al., LongMemEval (ICLR 2025), and the description of the files beside its code. The date of a
    session stands above its first message and that of the question in the system prompt; both wordings are
    ours. Sessions are put in the order of their dates, as the published long-context baseline does.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tellapart.errors import InputError
from tellapart.files import check_record
from tellapart.longcontext.case import Case, CaseStep, Expected, Text
from tellapart.longcontext.design import ImportSettings
from tellapart.longcontext.importing.import_cases import Form, Role, Tally, exchanges

_SYSTEM = (
    "What follows are earlier conversations with one user, in the order of their dates; each begins with its "
    "date in brackets. Then the user asks a question. Today is {date}."
)
_ABSTENTION = "_abs"
_TESTS = {
    "temporal-reasoning": "A count of days, weeks or months that is off by one is still right.",
    "knowledge-update": "An outdated answer may stand beside the current one, as long as that is the answer.",
}
"""What its judge is told beside the right answer, in our words."""


class _Turn(BaseModel):
    role: Role
    content: str
    has_answer: bool | None = None


class _Record(BaseModel):
    question_id: str
    question_type: str
    question: Text
    answer: str | int | float
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[_Turn]]
    answer_session_ids: list[str]


def _case(record: dict[str, Any], number: int, settings: ImportSettings, tally: Tally) -> Case:
    read = check_record(record, _Record, number)
    try:
        sessions = [*zip(read.haystack_session_ids, read.haystack_dates, read.haystack_sessions, strict=True)]
    except ValueError:
        raise InputError(
            "'haystack_sessions', 'haystack_dates' and 'haystack_session_ids' differ in length"
        ) from None
    if not set(read.answer_session_ids) <= set(read.haystack_session_ids):
        raise InputError("'answer_session_ids' names a session that the history does not have")
    in_order = sorted(sessions, key=lambda session: session[1])
    tally["histories put in the order of their dates"] += in_order != sessions
    steps: list[CaseStep] = []
    for identifier, date, turns in in_order:
        for text, reply in exchanges(((t.role, t.content) for t in turns), f"[{date}]", tally):
            id_ = f"M{len(steps) + 1}"
            steps.append(CaseStep(id_, "message", text, reply=reply, session=identifier, date=date))
    if not steps:
        raise InputError("its history is empty")
    expected = _expected(read, tally)
    mode = expected.failure_mode
    question = CaseStep("V1", "verification", read.question, mode, expected, date=read.question_date)
    return Case(read.question_id, _SYSTEM.format(date=read.question_date), (*steps, question))


def _expected(read: _Record, tally: Tally) -> Expected:
    answer, mode = str(read.answer).strip(), read.question_type
    if not answer:
        raise InputError("'answer' is empty")
    if _ABSTENTION in read.question_id:
        return Expected("V1", answer, f"{mode}, abstention", rule="abstention")
    turns = (turn for session in read.haystack_sessions for turn in session if turn.has_answer)
    evidence = tuple(text for turn in turns if (text := turn.content.strip()))
    tally["questions of which no turn is marked as evidence"] += not evidence
    rule = "rubric" if mode == "single-session-preference" else "facts"
    return Expected("V1", answer, mode, test=_TESTS.get(mode), evidence=evidence, rule=rule)


FORM = Form(
    name="longmemeval",
    data_set="LongMemEval",
    licence="MIT",
    marks=((b'"question_id"', b'"haystack_'),),
    case=_case,
    id_key="question_id",
)
