import pytest

from tellapart.llm.models import LanguageModel

pytestmark = pytest.mark.usefixtures("keys")


def test_no_password_is_written_down():
    model = LanguageModel("openai/m", base_url="https://me:secret@there/v1?key=secret")
    assert model.requested()["base_url"] == "https://there/v1"


def test_the_address_of_the_environment_is_asked_for_too(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:secret@there/v1")
    assert LanguageModel("openai/m").requested()["base_url"] == "https://there/v1"
    assert LanguageModel("openai/m", base_url="http://here").requested()["base_url"] == "http://here"
    # A recording was made with what it says, not with what the environment says today.
    assert LanguageModel("openai/m", recording=tmp_path).requested()["base_url"] is None


@pytest.mark.parametrize(
    ("name", "asked", "sends"),
    [
        ("anthropic/m", {}, True),
        ("anthropic/m", {"anthropic_version": "2026-10-20"}, True),
        ("anthropic/m", {"anthropic_version": "2026-10-21"}, False),
        ("anthropic/m", {"anthropic_version": "2027-01-01"}, False),
        ("anthropic/m", {"reasoning_effort": "low"}, False),
        ("anthropic/m", {"reasoning_effort": "none"}, True),
        ("anthropic/m", {"temperature": None}, False),
        ("openai/m", {"anthropic_version": "2026-10-21", "reasoning_effort": "low"}, True),
        ("openai/m", {"temperature": None}, False),
    ],
)
def test_when_a_temperature_is_sent(name, asked, sends):
    assert LanguageModel(name, **asked).sends_temperature is sends
