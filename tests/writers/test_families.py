import pytest

from tellapart.writers.families import families_of, is_same_family


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("anthropic/claude-sonnet-5-5", {"anthropic"}),
        ("openrouter/anthropic/claude-opus-4.1", {"anthropic"}),
        ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", {"anthropic"}),
        ("azureai/gpt4o", {"openai"}),
        ("openrouter/openai/o3-mini", {"openai"}),
        ("ollama/gemma2:9b", {"google"}),
        ("vllm/Qwen/Qwen3-Coder-30B-A3B-Instruct", {"qwen"}),
        ("together/meta-llama/Llama-3.3-70B-Instruct-Turbo", {"meta"}),
        ("openrouter/x-ai/grok-4", {"xai"}),
        # The model's own name decides, not the kind of the server.
        ("openai/llama-3", {"meta"}),
        ("openai/my-finetune", {"openai"}),
        ("openai-api/lab/m7", set()),
        # Distilled from one and into another.
        ("groq/deepseek-r1-distill-llama-70b", {"deepseek", "meta"}),
        # No word of a name, though it begins like one.
        ("ollama/commander", set()),
        ("docstring", set()),
    ],
)
def test_the_family_is_in_the_name(name, families):
    assert families_of(name, {}) == families


def test_a_family_that_is_given_comes_first_and_a_model_is_always_its_own():
    named = {"openai-api/lab/m7": "lab", "openai/gpt-5-mini": "lab"}
    assert families_of("openai/gpt-5-mini", named) == {"lab"}
    assert is_same_family("openai-api/lab/m7", "openai/gpt-5-mini", named)
    assert not is_same_family("openai-api/lab/m7", "openai/gpt-5-mini", {})
    assert is_same_family("openai-api/lab/m7", "openai-api/lab/m7", {})
