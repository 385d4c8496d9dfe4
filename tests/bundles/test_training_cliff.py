"""Real trainings of a tiny BERT on two evals: the cliff is found where it was planted, and only there."""

import logging

import numpy as np
import pytest

from bundles.word_models import bundle, needs_library
from tellapart import bundles

pytestmark = needs_library

PAIRS, BATCH, EVERY, STEPS, PLANTED = 100, 40, 12, 48, 24


def words(kind, number):
    """Anchor, positive and negative of a bundle: texts of a word that no other bundle has."""
    return f"{kind}{number}a", f"{kind}{number}p", f"{kind}{number}n"


def rows(kind, tier=None):
    return [bundle(i, *words(kind, i), tier=tier) for i in range(PAIRS)]


EVALS = {"frozen": rows("f", "tier3"), "organic": rows("o")}


def tiny_bert(directory):
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens += [word for kind in "fo" for i in range(PAIRS) for word in words(kind, i)]
    (directory / "vocab.txt").write_text("\n".join(tokens))
    BertTokenizer(str(directory / "vocab.txt")).save_pretrained(directory)
    torch.manual_seed(0)
    BertModel(
        BertConfig(
            vocab_size=len(tokens),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=16,
        )
    ).save_pretrained(directory)
    transformer = Transformer(str(directory))
    return SentenceTransformer(modules=[transformer, Pooling(32)], device="cpu")


def lessons(planted):
    """The triplets of each step.

    Up to ``PLANTED`` they teach the organic bundles, then the frozen ones too and, if a cliff is ``planted``,
    the wrong answers of the organic ones.
    """
    drawn = np.random.default_rng(1)
    found = []
    for step in range(STEPS):
        late = step >= PLANTED
        kinds = "fo" if late else "o"
        for kind in kinds:
            for i in drawn.choice(PAIRS, BATCH // len(kinds), replace=False):
                anchor, positive, negative = words(kind, i)
                turned = kind == "o" and late and planted
                found.append((anchor, negative, positive) if turned else (anchor, positive, negative))
    return [dict(zip(("anchor", "positive", "negative"), one, strict=True)) for one in found]


def train(directory, evaluator, triplets):
    """Train a new model; the pass rates on both evals by step."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import TripletLoss

    model = tiny_bert(directory)
    trainer = SentenceTransformerTrainer(
        model=model,
        args=SentenceTransformerTrainingArguments(
            output_dir=str(directory / "run"),
            max_steps=STEPS,
            per_device_train_batch_size=BATCH,
            learning_rate=0.01,
            lr_scheduler_type="constant",
            eval_strategy="steps",
            eval_steps=EVERY,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            dataloader_pin_memory=False,
        ),
        # An iterable dataset is not shuffled: each step has the lesson that is meant for it.
        train_dataset=Dataset.from_list(triplets).to_iterable_dataset(),
        loss=TripletLoss(model),
        evaluator=evaluator,
    )
    trainer.train()
    return {
        line["step"]: (line["eval_frozen_tier3_adversarial_pass_rate"], line["eval_organic_pass_rate"])
        for line in trainer.state.log_history
        if "eval_organic_pass_rate" in line
    }


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.WARNING, logger="tellapart")
    return lambda: [record.getMessage() for record in caplog.records if record.name.startswith("tellapart")]


def test_the_cliff_is_found_where_it_was_planted_and_reported_once(tmp_path, said):
    evaluator = bundles.BundleEvaluator(EVALS)
    assert evaluator.primary_metric == "frozen_tier3_adversarial_pass_rate"
    rates = train(tmp_path, evaluator, lessons(planted=True))
    assert list(rates) == [12, 24, 36, 48]
    (cliff,) = evaluator.cliffs
    assert cliff.step == PLANTED + EVERY
    (frozen, organic), (before, beside) = rates[cliff.step], rates[cliff.against]
    assert (cliff.rise, cliff.fall) == pytest.approx((frozen - before, beside - organic), abs=1e-9)
    (sentence,) = said()
    assert sentence.startswith(
        "BundleEvaluator: Cliff in this training at step 36: frozen tier3 adversarial pass rate is up by "
    )
    assert "organic pass rate is down by " in sentence and "beyond the noise of bundles" in sentence


def test_a_training_that_loses_nothing_has_no_cliff(tmp_path, said):
    evaluator = bundles.BundleEvaluator(EVALS)
    rates = train(tmp_path, evaluator, lessons(planted=False))
    assert rates[48][0] > rates[24][0] + 0.1  # The frozen eval rises as it does before the cliff.
    assert evaluator.cliffs == ()
    assert said() == []
