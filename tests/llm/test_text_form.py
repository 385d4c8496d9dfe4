"""Questions whose reply is no JSON: how they are read, repaired, keyed and taken over."""

import json

import pytest
from pydantic import BaseModel

from support.loopback import LoopbackServer
from tellapart.llm.asking import call_key
from tellapart.llm.models import LanguageModel
from tellapart.llm.questions import Answer, Failure, Question, TextForm
from tellapart.llm.quoting import quote
from tellapart.llm.run_models import RunCalls

pytestmark = pytest.mark.usefixtures("keys")


class Word(BaseModel):
    word: str


def one_word(reply, material):
    if len(reply.split()) != 1:
        return Failure("parse", "schema", "it is not one word")
    if reply.strip() in material:
        return Failure("parse", "quoted", "it stands in the material")
    return Word(word=reply.strip())


FORM = TextForm(one_word, "one word")
PROMPT = f"Which word?\n{quote(['apple pear']).texts[0]}"


def question(**more):
    return Question("q", PROMPT, Word, form=FORM, **more)


def ask(server, directory, asked=None, **how):
    model = LanguageModel(
        "openai/gpt-4o", base_url=server.base_url("openai"), first_wait_s=0.0, max_retries=0
    )
    model = LanguageModel(**{**model.__dict__, **how})
    with RunCalls(directory).opened() as calls:
        return calls.ask([asked or question()], model).by_id["q"]


def test_a_reply_is_read_by_the_function_and_no_schema_is_sent(tmp_path):
    with LoopbackServer(["plum"]) as server:
        answer = ask(server, tmp_path, response_schema=True)
    assert answer == Answer("q", Word(word="plum"), None)
    assert "response_format" not in server.requests[0].body
    assert "json" not in json.dumps(server.requests[0].body).lower()


def test_one_repair_says_in_the_words_of_the_form_what_was_wrong(tmp_path):
    with LoopbackServer(["It is a plum", "plum"]) as server:
        assert ask(server, tmp_path) == Answer("q", Word(word="plum"), None, repaired=True)
    repair = "Your reply could not be used: it is not one word.\n\n"
    repair += "Reply again with one word, and nothing else."
    said = [("user", PROMPT), ("assistant", "It is a plum"), ("user", repair)]
    assert server.requests[1].messages == said


def test_the_key_of_a_call_knows_the_form_from_json_and_not_by_the_name_of_its_model():
    model = LanguageModel("openai/gpt-4o")
    messages = [{"role": "user", "content": PROMPT}]

    class Other(BaseModel):
        another: str

    key = call_key(question(), model, messages)
    assert key == call_key(Question("q", PROMPT, Other, form=FORM), model, messages)
    assert key != call_key(Question("q", PROMPT, Word), model, messages)
    assert key != call_key(question(replica=1), model, messages)
