"""A real training, of a model that knows a few dozen words."""

import numpy as np
import polars as pl
import pytest

from bundles.word_models import bundle, needs_library, word_model
from tellapart import bundles
from tellapart.bundles import read_scoreboard
from tellapart.bundles.figures import LOGGED
from tellapart.bundles.results import scores_path

pytestmark = needs_library

SENSES, WORDS = 6, 8


def rows():
    """Texts of one word; words of one sense belong together, which random vectors cannot know."""
    drawn = np.random.default_rng(1)
    found = []
    for i in range(60):
        sense, other = drawn.choice(SENSES, size=2, replace=False)
        a, b, c, d = drawn.permutation(WORDS)[:4]
        words = f"s{sense}w{a}", f"s{sense}w{b}", f"s{other}w{c}", f"s{other}w{d}"
        found.append(bundle(i, *words, tier="tier3" if i % 2 else "tier1"))
    return found


def untrained():
    drawn = np.random.default_rng(2)
    return word_model({f"s{s}w{w}": drawn.normal(size=16) for s in range(SENSES) for w in range(WORDS)})


def train(model, evaluator, directory, **options):
    # Imported here, since that takes seconds in every process that only collects these tests.
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import TripletLoss

    columns = ("anchor", "positive", "negative")
    triplets = [(row["anchor"], row["positive"], negative) for row in rows() for negative in row["negatives"]]
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(directory),
        max_steps=18,
        learning_rate=0.2,
        eval_strategy="steps",
        eval_steps=6,
        save_steps=6,
        load_best_model_at_end=True,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
        **options,
    )
    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_list([dict(zip(columns, one, strict=True)) for one in triplets]),
        loss=TripletLoss(model),
        evaluator=evaluator,
    )
    trainer.train()
    return trainer


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    directory = tmp_path_factory.mktemp("training")
    model = untrained()
    evaluator = bundles.BundleEvaluator(rows(), name="dev")
    return train(model, evaluator, directory, metric_for_best_model=evaluator.primary_metric), directory


@pytest.mark.slow
def test_each_evaluation_left_a_scoreboard_with_the_figures_of_the_log(trained):
    trainer, directory = trained
    lines = [line for line in trainer.state.log_history if "eval_dev_pass_rate" in line]
    assert [line["step"] for line in lines] == [6, 12, 18]
    for line in lines:
        tiers = ("", "tier1_easy_", "tier3_adversarial_")
        logged = {f"eval_dev_{tier}{figure}" for tier in tiers for figure in LOGGED}
        assert {name for name in line if name.startswith("eval_dev")} == logged
        path = directory / "eval" / f"bundles_dev_epoch{line['epoch']:.4g}_step{line['step']}.json"
        board = read_scoreboard(path)
        assert board.by_tier["tier3_adversarial"].q10_margin == line["eval_dev_tier3_adversarial_q10_margin"]
        assert board.overall.pass_rate == line["eval_dev_pass_rate"]
        assert board.checkpoint_path == str(directory / f"checkpoint-{line['step']}")
        margins = pl.read_parquet(scores_path(path))["margin"]
        assert (margins > 0).mean() == pytest.approx(board.overall.pass_rate)
    assert len(list((directory / "eval").glob("*.json"))) == 3
