"""Any late-interaction model of sentence-transformers, such as ColBERT: a vector for each token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tellapart.core.arrays import F32, F64, I64
from tellapart.embed.model_files import ModelFiles, find_model, require_kind
from tellapart.embed.models.st import load_library_model
from tellapart.embed.protocol import Kind
from tellapart.embed.ragged import TEXTS_A_STEP, RaggedMatcher
from tellapart.embed.request import ModelRequest

ARGUMENT = "path or hub id"
REQUIRES = ("sentence_transformers",)
EXTRA = "st"

_PAIRS_AT_ONCE = 256


class MultiVectorMatcher(RaggedMatcher):
    """Scores pairs by late interaction, as the library computes it from the vectors of tokens.

    The unit is the model's own similarity: ``maxsim``, for each token of the query the best inner product
    with a token of the document, summed; or ``meanmaxsim``, their mean.

    Source: Khattab and Zaharia, "ColBERT", SIGIR 2020.
    """

    def __init__(self, request: ModelRequest, files: ModelFiles) -> None:
        """Load a model."""
        super().__init__(request, load)
        from sentence_transformers import MultiVectorEncoder

        require_kind(files, "MultiVectorEncoder")
        self._model = load_library_model(MultiVectorEncoder, files)
        self.unit = str(self._model.similarity_fn_name)
        self.fingerprint = f"multi-vector-encoder {self.unit} {files.identity}"

    def encode(self, texts: Sequence[str], kind: Kind) -> list[F32]:
        """Encode texts; of each the number of dimensions, then its tokens' vectors."""
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        rows = encode(list(texts), batch_size=TEXTS_A_STEP, show_progress_bar=False)
        return [np.append(np.float32(row.shape[1]), np.asarray(row, dtype=np.float32)) for row in rows]

    def compare(self, queries: list[F32], documents: list[F32], query_row: I64, document_row: I64) -> F64:
        """Score pairs of rows; see ``RaggedMatcher``."""
        first, second = ([row[1:].reshape(-1, int(row[0])) for row in side] for side in (queries, documents))
        scores = np.empty(len(query_row))
        for start in range(0, len(scores), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            pairs = [first[i] for i in query_row[part]], [second[i] for i in document_row[part]]
            scores[part] = np.asarray(self._model.similarity_pairwise(*pairs).cpu())
        return scores


def load(request: ModelRequest) -> MultiVectorMatcher:
    """Load the late-interaction model that the argument names."""
    files = find_model(request.argument, owner="sentence-transformers")
    return MultiVectorMatcher(request, files)
