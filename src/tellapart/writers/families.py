"""Who made a model, by its name: judges are not asked about writers of their own family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tellapart.errors import UsageError, near_match

FAMILIES: dict[str, tuple[str, ...]] = {
    "ai21": ("ai21", "jamba", "jurassic"),
    "allenai": ("allenai", "olmo", "molmo", "tulu"),
    "amazon": ("titan", "nova"),
    "anthropic": ("anthropic", "claude"),
    "baidu": ("baidu", "ernie"),
    "bigcode": ("bigcode", "starcoder", "santacoder"),
    "bytedance": ("bytedance", "doubao"),
    "cohere": ("cohere", "command", "c4ai", "aya"),
    "databricks": ("databricks", "dbrx"),
    "deepseek": ("deepseek",),
    "google": ("google", "gemini", "gemma", "codegemma", "palm"),
    "ibm": ("ibm", "granite"),
    "internlm": ("internlm",),
    "meta": ("meta", "llama", "codellama"),
    "microsoft": ("microsoft", "phi", "wizardlm", "wizardcoder"),
    "minimax": ("minimax", "abab"),
    "mistral": ("mistral", "mistralai", "mixtral", "codestral", "ministral", "devstral", "magistral"),
    "moonshot": ("moonshot", "moonshotai", "kimi"),
    "nvidia": ("nvidia", "nemotron"),
    "perplexity": ("sonar",),
    "openai": ("openai", "gpt", "chatgpt", "codex", "davinci"),
    "qwen": ("qwen", "qwq", "qvq", "codeqwen"),
    "reka": ("reka", "rekaai"),
    "tencent": ("tencent", "hunyuan"),
    "tii": ("tiiuae", "falcon"),
    "xai": ("xai", "grok"),
    "zhipu": ("zhipu", "zai", "glm", "chatglm", "codegeex"),
}
"""Makers, and the words in names by which they are known; the one table of families."""

# Providers and routers that serve anybody's models: their names say nothing of who made one.
_SERVERS = {"azure", "azureai", "bedrock", "cf", "fireworks", "groq", "hf", "huggingface", "nvidia", "ollama"}
_SERVERS |= {"openai-api", "openrouter", "perplexity", "sagemaker", "sglang", "together", "vertex", "vllm"}
_OPENAI_SERIES = re.compile(r"(?<![a-z0-9])o[1-9](?![a-z0-9])")
_FAMILY_OF = {word: family for family, words in FAMILIES.items() for word in words}


def families_of(name: str, named: Mapping[str, str] | None = None) -> frozenset[str]:
    """Say which families a model belongs to.

    The words of the model's own name decide, and only without one the path before it: a model of another
    maker behind a server of OpenAI's kind, such as ``openai/llama-3``, is the other maker's. A distilled
    model may belong to two families, such as ``deepseek-r1-distill-qwen-7b``.
    """
    if named and name in named:
        return frozenset([named[name]])
    path = name.casefold().split("/")
    if len(path) > 1 and path[0] in _SERVERS:
        path = path[1:]
    return _in(path[-1]) or _in(" ".join(path[:-1]))


def is_same_family(judge: str, writer: str, named: Mapping[str, str] | None = None) -> bool:
    """Whether a judge would judge its own kind: itself, or a model that shares a family with it."""
    return judge == writer or bool(families_of(judge, named) & families_of(writer, named))


def read_families(texts: Sequence[str], models: Sequence[str]) -> dict[str, str]:
    """Read ``MODEL=NAME`` as a user typed it."""
    families: dict[str, str] = {}
    for text in texts:
        model, _, family = text.rpartition("=")
        if not model or not family.strip():
            raise UsageError(
                f"--family is {text!r}, expected MODEL=NAME",
                next_step="Write for instance --family openai-api/lab/m7=lab",
            )
        if model not in models:
            raise UsageError(
                f"--family names {model!r}, which is neither a judge nor a writer",
                next_step=near_match(model, models),
            )
        if model in families:
            raise UsageError(f"--family is given twice for {model!r}")
        families[model] = family.strip().casefold()
    return families


def _in(text: str) -> frozenset[str]:
    # ``qwen2`` and ``gpt4o`` are words with a number behind; ``c4ai`` has one within.
    words = {*re.findall(r"[a-z]+", text), *re.findall(r"[a-z0-9]+", text)}
    families = {_FAMILY_OF[word] for word in words if word in _FAMILY_OF}
    return frozenset(families | ({"openai"} if _OPENAI_SERIES.search(text) else set()))
