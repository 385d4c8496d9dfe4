import asyncio
import builtins
import traceback

import pytest

from llm.calls import MODELS, Choice, at, call
from support.loopback import LoopbackServer, Page, Status
from tellapart.errors import MissingExtra, UsageError
from tellapart.llm.connection import check_provider, connect, reply_config
from tellapart.llm.failures import fatal_error
from tellapart.llm.models import LanguageModel
from tellapart.llm.traffic import MOST_REPLY_BYTES

pytestmark = pytest.mark.usefixtures("keys")


def refusal(name):
    with pytest.raises(UsageError) as error:
        connect(LanguageModel(name), max_connections=1)
    return str(error.value)


def test_a_provider_that_does_not_exist():
    said = refusal("antropic/claude")
    assert said.startswith(
        "the model is 'antropic/claude', expected PROVIDER/MODEL with a provider that Inspect knows. "
        "Did you mean 'anthropic'? There are: anthropic, "
    )
    assert "openai-api" in said
    assert "mockllm" not in said


@pytest.mark.parametrize("name", ["gpt-4o", "openai", "openai/"])
def test_a_name_without_a_model(name):
    assert f"the model is {name!r}, expected PROVIDER/MODEL" in refusal(name)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("openai/m", "OPENAI_API_KEY"),
        ("openai-api/local/m", "LOCAL_API_KEY"),
        ("deepseek/m", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_key_that_is_not_there(name, variable, monkeypatch):
    monkeypatch.delenv(variable)
    assert refusal(name) == (
        f"the model {name!r} needs a key, and {variable} is not set. "
        f"Set it in the environment: export {variable}=…."
    )


def test_a_package_that_is_too_old_is_known_before_there_is_a_key(monkeypatch):
    monkeypatch.setattr("inspect_ai._util.version.version", lambda _: "2.54.0")
    with pytest.raises(UsageError, match=r"^the model 'openai/m' cannot be used: .* package openai .*"):
        check_provider(LanguageModel("openai/m"))


def test_an_offline_model_that_there_is_not_is_known_before_it_is_asked():
    check_provider(LanguageModel("offline/names"))
    with pytest.raises(
        UsageError, match=r"no model 'offline/nams'\. Did you mean 'offline/names'\? There are: "
    ):
        check_provider(LanguageModel("offline/nams"))


def test_a_token_of_anthropic_is_a_key_too(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    headers = call(MODELS["anthropic"]).server.requests[0].headers
    assert (headers["authorization"], headers["anthropic-version"]) == ("Bearer token", "2023-06-01")


def test_what_inspect_says_is_said_without_marks_for_a_terminal():
    assert refusal("openai-api/local/m") == (
        "the model 'openai-api/local/m' cannot be used: Unable to initialise local client "
        "No LOCAL_BASE_URL defined in the environment."
    )


def test_without_inspect_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def missing(name, *arguments, **keywords):
        if name.startswith("inspect_ai"):
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"pip install 'tellapart\[llm\]'"):
        connect(LanguageModel("openai/m"), max_connections=1)


def test_an_address_in_the_environment_is_used_and_recorded(monkeypatch):
    with LoopbackServer() as server:
        for variable, value in server.environment().items():
            monkeypatch.setenv(variable, value)
        model = LanguageModel("deepseek/m")
        connected, _ = connect(model, max_connections=1)

        async def ask():
            await connected.generate("hi")

        asyncio.run(ask())
        assert len(server.requests) == 1
        assert model.requested()["base_url"] == server.url


def test_a_schema_goes_out_only_where_it_is_asked_for():
    assert reply_config(LanguageModel("a/b"), Choice).response_schema is None
    schema = reply_config(LanguageModel("a/b", response_schema=True), Choice).response_schema
    assert (schema.name, schema.strict) == ("Choice", True)
    assert schema.json_schema.required == ["selected"]


def test_no_more_connections_than_allowed():
    with LoopbackServer(latency_s=0.1) as server:
        # Inspect keeps one limit for all connections of a process with the same key to the same model.
        connected, _ = connect(at(server, "openai-api/local/at-once"), max_connections=3)

        async def ask():
            await asyncio.gather(*(connected.generate("hi") for _ in range(9)))

        asyncio.run(ask())
        assert (server.most_at_once, len(server.requests)) == (3, 9)


@pytest.mark.parametrize("code", [400, 401, 500])
def test_no_client_is_in_the_traceback_that_inspect_draws_for_every_failed_attempt(code):
    called = call(MODELS["anthropic"], lambda _: Status(code), max_retries=0)
    attempt = getattr(called.error, "last_attempt", None)
    links = [attempt.exception() if attempt else called.error]
    while links[-1].__cause__:
        links.append(links[-1].__cause__)
    files = {frame.filename for link in links for frame in traceback.extract_tb(link.__traceback__)}
    assert not any("/anthropic/" in file or "httpx" in file for file in files)


def test_a_reply_without_an_end_is_not_read_into_memory():
    page = Page(" " * (MOST_REPLY_BYTES + 1), code=200, content_type="application/json")
    called = call(MODELS["openai"], lambda _: page)
    assert f"openai/gpt-4o: the server sent more than {MOST_REPLY_BYTES:,} bytes" in str(
        fatal_error(called.error, called.model)
    )
    assert len(called.server.requests) == 1
