"""Environment variables that hold a provider's key and the address of its server.

Which providers there are is for Inspect to know. What is peculiar about sending to one is in ``connection``
and ``models`` (parameters, headers, schemas), and in ``retries`` (what is tried again).
"""

from __future__ import annotations

import os

_KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "cloudflare": "CLOUDFLARE_API_TOKEN",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks": "FIREWORKS_API_KEY",
    "google": "GOOGLE_API_KEY",
    "grok": "XAI_API_KEY",
    "groq": "GROQ_API_KEY",
    "hf": "HF_TOKEN",
    "hf-inference-providers": "HF_TOKEN",
    "mistral": "MISTRAL_API_KEY",
    "moonshot": "MOONSHOT_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "perplexity": "PERPLEXITY_API_KEY",
    "sambanova": "SAMBANOVA_API_KEY",
    "together": "TOGETHER_API_KEY",
}


def key_variable(name: str) -> str | None:
    """Environment variable that holds the key for a model."""
    provider, _, rest = name.partition("/")
    if provider == "openai-api":
        return f"{_service(rest)}_API_KEY"
    return _KEYS.get(provider)


def base_url(name: str) -> str | None:
    """Address of a model's server as the environment has it, where Inspect looks too."""
    provider, _, rest = name.partition("/")
    service = {"openai-api": _service(rest), "grok": "XAI"}.get(provider, _service(provider))
    return os.environ.get(f"{service}_BASE_URL") or os.environ.get("INSPECT_EVAL_MODEL_BASE_URL")


def _service(rest: str) -> str:
    return rest.partition("/")[0].upper().replace("-", "_")
