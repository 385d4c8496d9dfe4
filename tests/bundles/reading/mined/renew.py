"""Write what ``mine_hard_negatives`` of sentence-transformers writes, in each of its forms.

Run this file when a new version of the library writes other columns.
"""

from pathlib import Path

import torch
from datasets import Dataset
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from sentence_transformers.util import mine_hard_negatives
from tokenizers import Tokenizer, models, pre_tokenizers

PAIRS = [
    ("the bank approved the loan", "a loan from the bank"),
    ("the bank approved the loan", "the bank lends money"),
    ("we sat on the river bank", "grass on the bank of the river"),
    ("the river flooded", "water came over the bank"),
]
FORMS = {
    "triplet-scores": ("triplet", True),
    "n-tuple": ("n-tuple", False),
    "n-tuple-scores": ("n-tuple", True),
}


def main() -> None:
    """Mine two negatives a pair with a model whose vectors are counts of words."""
    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    embedding = StaticEmbedding(tokenizer, embedding_weights=torch.eye(len(words)).numpy())
    model = SentenceTransformer(modules=[embedding], device="cpu")
    columns = {"query": [pair[0] for pair in PAIRS], "answer": [pair[1] for pair in PAIRS]}
    for name, (form, scores) in FORMS.items():
        mined = mine_hard_negatives(
            Dataset.from_dict(columns),
            model,
            num_negatives=2,
            output_format=form,
            output_scores=scores,
            verbose=False,
        )
        place = Path(__file__).with_name(f"{name}.jsonl")
        mined.to_json(str(place))


if __name__ == "__main__":
    main()
