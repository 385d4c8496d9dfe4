import pytest


@pytest.fixture
def keys(monkeypatch):
    """Keys that are none, for every provider that is tested, and no address from outside."""
    for name in ("ANTHROPIC", "OPENAI", "LOCAL", "DEEPSEEK", "OLLAMA"):
        monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    monkeypatch.delenv("INSPECT_EVAL_MODEL_BASE_URL", raising=False)
