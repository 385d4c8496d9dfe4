import builtins

import pytest

from llm.calls import MODELS, Choice, call
from support.loopback import Page
from tellapart.errors import MissingExtra, UsageError
from tellapart.llm.connection import check_provider, connect, reply_config
from tellapart.llm.failures import fatal_error
from tellapart.llm.models import LanguageModel
from tellapart.llm.wire import MOST_REPLY_BYTES

pytestmark = pytest.mark.usefixtures("keys")


def refusal(name):
    with pytest.raises(UsageError) as error:
        connect(LanguageModel(name), max_connections=1)
    return str(error.value)


def test_a_package_that_is_too_old_is_known_before_there_is_a_key(monkeypatch):
    monkeypatch.setattr("inspect_ai._util.version.version", lambda _: "2.54.0")
    with pytest.raises(UsageError, match=r"^the model 'openai/m' cannot be used: .* package openai .*"):
        check_provider(LanguageModel("openai/m"))


def test_a_token_of_anthropic_is_a_key_too(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    headers = call(MODELS["anthropic"]).server.requests[0].headers
    assert (headers["authorization"], headers["anthropic-version"]) == ("Bearer token", "2023-06-01")


def test_without_inspect_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def missing(name, *arguments, **keywords):
        if name.startswith("inspect_ai"):
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"pip install 'tellapart\[llm\]'"):
        connect(LanguageModel("openai/m"), max_connections=1)


def test_a_schema_goes_out_only_where_it_is_asked_for():
    assert reply_config(LanguageModel("a/b"), Choice).response_schema is None
    schema = reply_config(LanguageModel("a/b", response_schema=True), Choice).response_schema
    assert (schema.name, schema.strict) == ("Choice", True)
    assert schema.json_schema.required == ["selected"]


def test_a_reply_without_an_end_is_not_read_into_memory():
    page = Page(" " * (MOST_REPLY_BYTES + 1), code=200, content_type="application/json")
    called = call(MODELS["openai"], lambda _: page)
    assert f"openai/gpt-4o: the server sent more than {MOST_REPLY_BYTES:,} bytes" in str(
        fatal_error(called.error, called.model)
    )
    assert len(called.server.requests) == 1
