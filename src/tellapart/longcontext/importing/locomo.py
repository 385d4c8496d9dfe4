"""LoCoMo: questions on the long conversation of two people, which is shown session by session.

Source:
    Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents" (ACL 2024), and the file
    ``locomo10.json`` that was published with it. The numbers of categories are those of its evaluation, which
    are not in the order of the paper. Instructions and the form of a line are ours.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from pydantic import BaseModel

from tellapart.core.fingerprint import sha256
from tellapart.errors import InputError
from tellapart.files import check_record
from tellapart.longcontext.case import Case, CaseStep, Expected
from tellapart.longcontext.design import ImportSettings
from tellapart.longcontext.importing.import_cases import ACKNOWLEDGED, Form, Tally

_SYSTEM = (
    "You are shown the conversations of {one} and {other}, session by session; each begins with its date in "
    "brackets. Then you are asked about them. Answer in a few words, with words of the conversations where "
    "you can, and work out dates from the dates of the sessions."
)
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_MULTI_HOP, _OPEN_DOMAIN, _ADVERSARIAL = 1, 3, 5
_NOT_MENTIONED = "Not mentioned in the conversation"
_SESSION = re.compile(r"session_(\d+)")


class _Turn(BaseModel):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None

    @property
    def line(self) -> str:
        """The turn as it is shown."""
        picture = f" [shows a picture: {self.blip_caption.strip()}]" if self.blip_caption else ""
        return f"{self.speaker}: {' '.join(self.text.split())}{picture}"


class _Session(BaseModel):
    date: str
    turns: list[_Turn]


class _Question(BaseModel):
    question: str
    category: int
    answer: str | int | float | None = None
    adversarial_answer: str | int | float | None = None
    evidence: list[str] = []


class _Sample(BaseModel):
    sample_id: str
    conversation: dict[str, Any]
    qa: list[dict[str, Any]]


def _case(record: dict[str, Any], record_number: int, settings: ImportSettings, tally: Tally) -> Case:
    read = check_record(record, _Sample, record_number)
    talk = read.conversation
    messages: list[CaseStep] = []
    lines: dict[str, str] = {}
    for number in sorted(int(match[1]) for name in talk if (match := _SESSION.fullmatch(name))):
        name = f"session_{number}"
        if not talk[name]:
            continue
        data = {"date": talk.get(f"{name}_date_time"), "turns": talk[name]}
        session = check_record(data, _Session, record_number, name)
        text = "\n".join([f"[{session.date}]", "", *(turn.line for turn in session.turns)])
        id_ = f"M{len(messages) + 1}"
        given = CaseStep(id_, "message", text, reply=ACKNOWLEDGED, session=name, date=session.date)
        messages.append(given)
        lines |= {turn.dia_id: turn.line for turn in session.turns}
        pictures = sum(turn.blip_caption is not None for turn in session.turns)
        tally["pictures: their captions are shown instead"] += pictures
    if not messages:
        raise InputError("'conversation' has no session")
    probes: list[CaseStep] = []
    for number, question in enumerate(read.qa, 1):
        seed = f"{settings.seed or 0}:{read.sample_id}:{number}"
        try:
            probes.append(_probe(question, number, lines, seed, tally))
        except InputError as error:
            tally[f"questions left out: {error.what}"] += 1
    if not probes:
        raise InputError("'qa' has no question that can be used")
    one, other = (str(talk.get(f"speaker_{letter}") or "somebody") for letter in "ab")
    return Case(read.sample_id, _SYSTEM.format(one=one, other=other), (*messages, *probes))


def _probe(data: dict[str, Any], number: int, lines: dict[str, str], seed: str, tally: Tally) -> CaseStep:
    read = check_record(data, _Question, number)
    if read.category not in _CATEGORIES:
        raise InputError(f"there is no category {read.category}")
    id_, mode, text = f"V{number}", _CATEGORIES[read.category], read.question.strip()
    key = "adversarial_answer" if read.category == _ADVERSARIAL else "answer"
    answer = "" if (given := getattr(read, key)) is None else str(given).strip()
    if read.category == _OPEN_DOMAIN:
        # What follows a semicolon is a reason, which the published evaluation cuts off too.
        answer = answer.partition(";")[0].strip()
    if not answer or not text:
        raise InputError(f"{key if text else 'question'!r} is missing")
    if read.category == _ADVERSARIAL:
        options = [_NOT_MENTIONED, answer]
        if np.random.default_rng(int(sha256(seed.encode())[:16], 16)).random() < 0.5:
            options.reverse()
        text += f"\nChoose the right answer: (a) {options[0]} (b) {options[1]}"
        expected = Expected(id_, _NOT_MENTIONED, mode, rule="not-mentioned")
    else:
        rule = "token-f1-parts" if read.category == _MULTI_HOP else "token-f1"
        expected = Expected(id_, answer, mode, evidence=_evidence(read, lines, tally), rule=rule)
    return CaseStep(id_, "verification", text, mode, expected)


def _evidence(read: _Question, lines: dict[str, str], tally: Tally) -> tuple[str, ...]:
    """The turns that are named; one entry may name several, and some numbers have a zero in front."""
    ids = [id_ for entry in read.evidence for id_ in re.split(r"[;,\s]+", entry) if id_]
    texts = [lines.get(id_) or lines.get(re.sub(r":0+(?=\d)", ":", id_)) for id_ in ids]
    tally["evidence ids that no turn has, left out"] += texts.count(None)
    return tuple(dict.fromkeys(line for line in texts if line is not None))


FORM = Form(
    name="locomo",
    data_set="LoCoMo",
    licence="CC BY-NC 4.0",
    # Questions may fill the beginning of a file.
    marks=((b'"dia_id"',), (b'"evidence"', b'"category"', b'"D1:')),
    case=_case,
    id_key="sample_id",
)
