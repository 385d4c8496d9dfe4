"""MLflow's own runs, compared by MLflow and by us; skipped where MLflow 3.18 is not installed."""

import pytest

from tellapart.errors import InputError, UsageError

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
if not hasattr(getattr(mlflow, "genai", None), "compare_evaluations"):
    pytest.skip("MLflow is older than 3.18, which compares runs first", allow_module_level=True)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two evaluation runs on 48 rows from 8 documents, each of which suits one of the runs."""
    folder = tmp_path_factory.mktemp("mlflow")
    # MLflow loses rows where its threads write to SQLite all at once.
    patch = pytest.MonkeyPatch()
    patch.setenv("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
    patch.setenv("MLFLOW_GENAI_EVAL_MAX_WORKERS", "1")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("evals", artifact_location=str(folder)))

    @mlflow.genai.scorer
    def correct(outputs):
        return outputs["right"]

    @mlflow.genai.scorer
    def words(outputs):
        return outputs["words"]

    made = []
    for shift in (0, 4):
        data = [
            {
                "inputs": {"question": f"q{i}", "document": f"d{i // 6}"},
                "outputs": {
                    "right": (i * 7) % 10 < (8 if (i // 6 + shift) % 8 < 5 else 3),
                    "words": i % 9 + shift,
                },
            }
            for i in range(48)
        ]
        made.append(mlflow.genai.evaluate(data=data, scorers=[correct, words]).run_id)
    yield made
    patch.undo()


def test_figures_are_mlflows_and_the_verdict_knows_of_sources(runs):
    from tellapart.integrations.mlflow import compare_evaluations

    theirs = mlflow.genai.compare_evaluations(runs[1], runs[0])
    ours = compare_evaluations(runs[1], runs[0], source="document", greater_is_better={"words": False})
    assert ours.keys() == theirs.scorers.keys() == {"correct", "words"}
    gate = ours["correct"].record.gate
    assert -gate.drop == pytest.approx(theirs.scorers["correct"].diff)
    assert gate.n == theirs.scorers["correct"].n_paired == 48
    (pair,) = ours["correct"].record.comparison.primary.pairs
    assert (pair.clusters, pair.verdict) == (8, "not_separated")
    assert ours["words"].record.gate.drop == pytest.approx(theirs.scorers["words"].diff)


def test_a_gate_and_what_is_refused(runs):
    from tellapart.integrations.mlflow import compare_evaluations

    gated = compare_evaluations(runs[1], runs[0], max_drop=0.3, limits={"words": (0, 20)})
    assert gated["correct"].passed is True
    with pytest.raises(UsageError, match="there is no scorer 'corect'"):
        compare_evaluations(runs[1], runs[0], greater_is_better={"corect": True})
    with pytest.raises(InputError, match="has no input and no tag 'documents'. Did you mean 'document'"):
        compare_evaluations(runs[1], runs[0], source="documents")
