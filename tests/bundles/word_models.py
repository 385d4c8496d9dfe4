"""Real sentence-transformers models that know a few words: a vector for each, no download."""

from importlib.util import find_spec

import numpy as np
import pytest

needs_library = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)


def word_model(vectors, **options):
    """A model whose vector of a word is the one given, and of a text the mean over its words."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: number for number, word in enumerate(["[UNK]", *vectors])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    rows = np.array([np.zeros(len(next(iter(vectors.values())))), *vectors.values()], dtype=np.float32)
    embedding = StaticEmbedding(tokenizer, embedding_weights=rows)
    return SentenceTransformer(modules=[embedding], device="cpu", **options)


def bundle(number, anchor, positive, *negatives, tier=None):
    row = {"bundle_id": f"b{number}", "anchor": anchor, "positive": positive, "negatives": list(negatives)}
    return row if tier is None else {**row, "tier": tier}
