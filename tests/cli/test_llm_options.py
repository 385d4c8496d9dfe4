"""Options of language models: what each becomes, and the sentence for what it cannot be."""

import inspect

import pytest

from tellapart.cli.llm_options import LlmOptions
from tellapart.cli.settings import from_typed, with_settings
from tellapart.errors import UsageError
from tellapart.llm.budget import Limits
from tellapart.llm.models import LanguageModel

NAMES = ["anthropic/claude-x", "openai/gpt-x"]


def typed(**options):
    """The options as they are read from what was typed."""
    return from_typed(LlmOptions, options)


def test_the_defaults_that_help_states_are_those_that_hold():
    def command(*, asking: LlmOptions) -> None:
        """Ask."""

    stated = {
        name.removeprefix("asking_"): parameter.annotation.__metadata__[0].show_default
        for name, parameter in inspect.signature(with_settings(command)).parameters.items()
        if isinstance(parameter.annotation.__metadata__[0].show_default, str)
    }
    model, limits = LanguageModel("a/b"), Limits()
    assert stated == {
        "temperature": f"{model.temperature:g}",
        "max_tokens": str(model.max_tokens),
        "attempt_timeout_s": str(model.attempt_timeout_s),
        "max_retries": str(model.max_retries),
        "max_failures": str(limits.max_failures),
        "max_connections": str(limits.max_connections),
    }


def test_every_option_has_its_place():
    options = typed(
        temperature="0.7",
        max_tokens=900,
        seed=7,
        reasoning_effort="low",
        attempt_timeout_s=30,
        max_retries=0,
        max_failures=0,
        max_connections=50,
        price=["3,15"],
        max_cost="2.5",
    )
    assert options.models(["anthropic/claude-x"]) == [
        LanguageModel(
            "anthropic/claude-x",
            temperature=0.7,
            max_tokens=900,
            seed=7,
            reasoning_effort="low",
            attempt_timeout_s=30,
            max_retries=0,
        )
    ]
    assert options.limits(["anthropic/claude-x"]) == Limits(50, 2.5, (3.0, 15.0), max_failures=0)


def test_zero_and_no_are_values_too():
    options = typed(temperature="0", seed=0, price=["0,0"])
    assert options.models(["a/b"]) == [LanguageModel("a/b", temperature=0.0, seed=0)]
    assert options.limits(["a/b"]).price == (0.0, 0.0)


def test_each_model_may_have_its_price():
    options = typed(price=["anthropic/claude-x=3,15", "openai/gpt-x=0.25,2"])
    assert options.limits(NAMES).price == {"anthropic/claude-x": (3.0, 15.0), "openai/gpt-x": (0.25, 2.0)}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"temperature": "-0.1"}, "--temperature is '-0.1', expected a number from 0 to 2, or 'none' to"),
        ({"temperature": "warm"}, "--temperature is 'warm', expected"),
        ({"base_url": "localhost:80"}, "--llm-base-url is 'localhost:80', expected an address such as"),
        ({"base_url": "ftp://host"}, "--llm-base-url is 'ftp://host', expected an address such as"),
    ],
)  # fmt: skip
def test_a_bad_parameter_has_its_sentence(given, sentence):
    with pytest.raises(UsageError) as told:
        typed(**given).models(["anthropic/claude-x"])
    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_cost": "5"}, "--max-cost needs to know what tokens cost. Give --price IN,OUT"),
        ({"max_cost": "0", "price": ["1,1"]}, "--max-cost is '0', expected US dollars, more than 0."),
        ({"max_cost": "nan", "price": ["1,1"]}, "--max-cost is 'nan', expected"),
        ({"price": ["3"]}, "--price is '3', expected US dollars for a million tokens in, and out"),
        ({"price": ["3,15,1,1,1"]}, "--price is '3,15,1,1,1', expected"),
        ({"price": ["3,15,-1"]}, "--price is '3,15,-1', expected"),
        ({"price": ["nan,1"]}, "--price is 'nan,1', expected"),
        ({"price": ["1,1", "2,2"]}, "--price is given twice for 'all models'."),
        ({"price": ["1,1", "openai/gpt-x=2,2"]}, "--price is given for all models and for some"),
        ({"price": ["openai/gpt-y=1,1"]}, "--price is given for 'openai/gpt-y', which is not asked. Did you "
                                          "mean 'openai/gpt-x'?"),
        ({"price": ["openai/gpt-x=1,1"]}, "--price is missing for 'anthropic/claude-x'. Give --price "
                                          "anthropic/claude-x=IN,OUT."),
    ],
)  # fmt: skip
def test_a_bad_limit_has_its_sentence(given, sentence):
    with pytest.raises(UsageError) as told:
        typed(**given).limits(NAMES)
    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize("name", ["gpt-x", "/gpt-x", "openai/", ""])
def test_a_name_says_provider_and_model(name):
    with pytest.raises(UsageError, match="is not named as PROVIDER/MODEL"):
        LlmOptions().models([name])


def test_one_server_is_not_sent_the_keys_of_several_providers():
    with pytest.raises(UsageError, match="the models are of several providers: anthropic, openai"):
        typed(base_url="http://localhost:8000").models(NAMES)


def test_options_without_a_language_model_are_not_ignored():
    options = typed(temperature="0")
    with pytest.raises(UsageError) as told:
        options.check_used([], "--llm PROVIDER/MODEL", {"--orders": "2", "--reuse": None})
    assert str(told.value) == (
        "no language model is asked, so this has no effect: --temperature, --orders. "
        "Name one with --llm PROVIDER/MODEL."
    )
    options.check_used(["a/b"], "--llm PROVIDER/MODEL", {"--orders": "2"})
    LlmOptions().check_used([], "--llm PROVIDER/MODEL", {"--orders": None})
