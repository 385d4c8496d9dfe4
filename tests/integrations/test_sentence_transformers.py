"""Evaluators of sentence-transformers that also write the scores of items, in a real training and alone."""

import logging

import numpy as np
import polars as pl
import pytest

from bundles.test_training import rows, train, untrained
from bundles.word_models import needs_library, word_model
from tellapart.errors import UsageError

pytestmark = needs_library

WORDS = [f"w{i}" for i in range(60)]
LOGGED_TIMES = {"eval_runtime", "eval_samples_per_second", "eval_steps_per_second", "train_runtime"}


@pytest.fixture(scope="module")
def per_query():
    # Imported here, since that takes seconds in every process that only collects these tests.
    from tellapart.integrations.sentence_transformers import PerQuery

    return PerQuery


@pytest.fixture(scope="module")
def library():
    from sentence_transformers.sentence_transformer import evaluation

    return evaluation


def retrieval(library):
    """The bundles of the training as a search for the positives among all texts."""
    bundles = rows()
    texts = sorted({text for row in bundles for text in (row["positive"], *row["negatives"])})
    corpus = {text: text for text in texts}
    queries = {row["bundle_id"]: row["anchor"] for row in bundles}
    relevant = {row["bundle_id"]: {row["positive"]} for row in bundles}
    return library.InformationRetrievalEvaluator(queries, corpus, relevant, name="dev")


@pytest.fixture(scope="module")
def trainings(per_query, library, tmp_path_factory):
    """The same training, with an evaluator and with the evaluator wrapped."""
    directory, options = tmp_path_factory.mktemp("per_query"), {"eval_on_start": True}
    best = {"metric_for_best_model": "dev_cosine_ndcg@10", **options}
    plain = train(untrained(), retrieval(library), directory / "plain", **best)
    wrapped = per_query(retrieval(library))
    return plain, train(untrained(), wrapped, directory / "wrapped", **best), wrapped


@pytest.mark.slow
def test_a_training_is_the_same_with_the_evaluator_wrapped(trainings, tmp_path):
    plain, trainer, _ = trainings
    logs = [
        [{k: v for k, v in line.items() if k not in LOGGED_TIMES and "per_second" not in k} for line in log]
        for log in (plain.state.log_history, trainer.state.log_history)
    ]
    assert logs[0] == logs[1]
    assert trainer.state.best_global_step == plain.state.best_global_step
    cards = []
    for one in (plain, trainer):
        one.model.save_pretrained(str(tmp_path))
        cards.append((tmp_path / "README.md").read_text(encoding="utf-8"))
        table = one.args.output_dir + "/eval/Information-Retrieval_evaluation_dev_results.csv"
        assert len(pl.read_csv(table)) == 4
    assert "InformationRetrievalEvaluator" in cards[1]
    assert "PerQuery" not in cards[1]
    start = "### Metrics"
    assert (
        cards[0][cards[0].index(start) :].splitlines()[:30]
        == cards[1][cards[1].index(start) :].splitlines()[:30]
    )


@pytest.mark.slow
def test_each_checkpoint_has_a_table_whose_means_are_the_figures_of_the_log(trainings):
    _, trainer, wrapped = trainings
    lines = [line for line in trainer.state.log_history if "eval_dev_cosine_ndcg@10" in line]
    assert [path.name for path in wrapped.tables] == [
        f"per_query_dev_epoch{line['epoch']:.4g}_step{line['step']}.parquet" for line in lines
    ]
    for line, path in zip(lines, wrapped.tables, strict=True):
        frame = pl.read_parquet(path)
        assert set(frame["model"]) == {f"wrapped step {line['step']}"}
        assert frame["item"].to_list() == [row["bundle_id"] for row in rows()]
        figures = {
            name.removeprefix("eval_dev_"): of for name, of in line.items() if name.startswith("eval_dev_")
        }
        assert len(figures) == 15
        for name, figure in {**figures, "score": figures["cosine_ndcg@10"]}.items():
            assert frame[name].mean() == pytest.approx(figure, abs=1e-9)


def texts(drawn, n):
    return [" ".join(drawn.choice(WORDS, 4)) for _ in range(n)]


def evaluators(library):
    drawn = np.random.default_rng(1)
    every = ["cosine", "dot", "euclidean", "manhattan"]
    a, b, c = (texts(drawn, 101) for _ in range(3))
    a[1] = a[0]
    samples = [
        {"query": query, "positive": texts(drawn, 2), "negative": texts(drawn, 6)}
        for query in texts(drawn, 30)
    ]
    labels = drawn.integers(0, 2, 101).tolist()
    yield library.RerankingEvaluator(samples, name="batched"), "ndcg@10", 30
    yield library.RerankingEvaluator(samples, use_batched_encoding=False, at_k=3), "ndcg@3", 30
    yield library.TripletEvaluator(a, b, c, name="t", margin=0.05), "cosine_accuracy", 101
    yield library.TripletEvaluator(a, b, c, similarity_fn_names=every), "max_accuracy", 101
    yield library.BinaryClassificationEvaluator(a, b, labels, similarity_fn_names=every), "max_accuracy", 101


def test_the_values_of_items_have_the_means_that_evaluators_report(per_query, library, tmp_path):
    drawn = np.random.default_rng(2)
    model = word_model({word: drawn.normal(size=8) for word in WORDS})
    for evaluator, metric, items in evaluators(library):
        plain = evaluator(model)
        wrapped = per_query(evaluator)
        metrics = wrapped(model, str(tmp_path))
        assert metrics == plain
        frame = pl.read_parquet(wrapped.tables[-1])
        assert frame["item"].n_unique() == items == len(frame)
        for name in frame.columns:
            if frame[name].dtype == pl.Float64 and name != "score":
                reported = metrics[f"{evaluator.name}_{name}" if evaluator.name else name]
                # The library rounds triplet accuracies to single precision.
                exact = (
                    reported if "Triplet" not in type(evaluator).__name__ else round(reported * items) / items
                )
                assert frame[name].mean() == pytest.approx(exact, abs=1e-9)
        best = max(value for name, value in metrics.items() if name.endswith(metric.removeprefix("max_")))
        if not isinstance(evaluator, library.BinaryClassificationEvaluator):
            assert frame["score"].mean() == pytest.approx(best, abs=1e-6)
        assert evaluator.primary_metric == wrapped.primary_metric


def test_what_items_share_and_other_texts_in_their_place_are_known(per_query, library, tmp_path):
    drawn = np.random.default_rng(2)
    model = word_model({word: drawn.normal(size=8) for word in WORDS})
    a, b, c = (texts(drawn, 12) for _ in range(3))
    a[1] = a[0]
    first, second = per_query(library.TripletEvaluator(a, b, c)), per_query(library.TripletEvaluator(a, c, b))
    first(model, str(tmp_path))
    second(model, str(tmp_path))
    frames = [one.last_scores.frame for one in (first, second)]
    assert frames[0]["cluster"].n_unique() == 11
    assert frames[0]["item"][0].startswith("01-")
    assert not set(frames[0]["item"]) & set(frames[1]["item"])


def test_a_metric_is_chosen_by_its_name_without_the_similarity(per_query, library):
    drawn = np.random.default_rng(2)
    queries, corpus = (dict(enumerate(texts(drawn, n))) for n in (9, 20))
    evaluator = library.InformationRetrievalEvaluator(queries, corpus, {i: {i} for i in queries}, name="dev")
    model = word_model({word: drawn.normal(size=8) for word in WORDS})
    for name in ("mrr@10", "cosine_mrr@10", "dev_cosine_mrr@10"):
        wrapped = per_query(evaluator, metric=name, model_name="mini")
        metrics = wrapped(model)
        assert wrapped.tables == ()
        assert wrapped.last_scores.models == ["mini"]
        assert wrapped.last_scores.frame["score"].mean() == pytest.approx(
            metrics["dev_cosine_mrr@10"], abs=1e-9
        )
    with pytest.raises(
        UsageError,
        match="no mean over items .*Did you mean 'cosine_mrr@10'",
    ):
        per_query(evaluator, metric="cosine_mrr@11")(model)


def test_an_evaluator_that_averages_otherwise_is_evaluated_without_a_table(
    per_query, library, tmp_path, caplog
):
    class Halved(library.InformationRetrievalEvaluator):
        def compute_metrics(self, ranked):
            metrics = super().compute_metrics(ranked)
            return {**metrics, "mrr@k": {10: metrics["mrr@k"][10] / len(ranked)}}

    drawn = np.random.default_rng(2)
    queries, corpus = (dict(enumerate(texts(drawn, n))) for n in (9, 20))
    model = word_model({word: drawn.normal(size=8) for word in WORDS})
    wrapped = per_query(Halved(queries, corpus, {i: {i} for i in queries}, name="dev"))
    caplog.set_level(logging.WARNING, logger="tellapart")
    for _ in range(2):
        assert "dev_cosine_ndcg@10" in wrapped(model, str(tmp_path))
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith(
        "PerQuery(Halved 'dev') writes no scores of items: the mean of cosine_mrr@10 over 9 items"
    )
    assert wrapped.tables == ()


def test_evaluators_without_values_of_items_are_refused_with_what_to_do(per_query, library):
    similar = library.EmbeddingSimilarityEvaluator(["a"], ["b"], [0.5])
    with pytest.raises(UsageError, match="a correlation is of all pairs together"):
        per_query(similar)
    with pytest.raises(
        UsageError, match="holds several evaluators.*PerQuery.one. for one in evaluator.evaluators"
    ):
        per_query(library.SequentialEvaluator([similar]))
