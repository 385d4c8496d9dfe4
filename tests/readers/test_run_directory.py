import polars as pl
import pytest

from tellapart.core.score_notes import ScoreNotes
from tellapart.errors import UsageError
from tellapart.readers import read_scores
from tellapart.readers.settings import ReadingSettings
from tellapart.store import RunPlan


def table(model, scores, truths=None):
    items = [str(n) for n in range(len(scores))]
    frame = pl.DataFrame({"model": [model] * len(scores), "item": items, "score": scores})
    return frame if truths is None else frame.with_columns(ground_truth=pl.Series(truths, dtype=pl.Int64))


@pytest.fixture
def write(tmp_path):
    def to(name, *, default="f1", measures=None):
        path = tmp_path / name
        with RunPlan("codesearch", {}, {}, seed=1, out=path).writing() as opened:
            opened.write_frame("scores.parquet", measures[default], ScoreNotes(measure=default))
            for measure, frame in measures.items():
                opened.write_frame(f"artifacts/scores/{measure}.parquet", frame)
        return path

    return to


def both(model, truths=(7, 8)):
    return {"f1": table(model, [0.5, 0.25], truths), "recall": table(model, [1.0, 0.125], truths)}


def scores(reading):
    return reading.table.frame["score"].to_list()


def test_the_runs_own_choice_is_read_and_told(write):
    path = write("run", measures=both("a"))
    found = read_scores([path])
    assert scores(found) == [0.5, 0.25]
    assert found.notes == ("Read the measure 'f1'; there are also 'recall' (--metric NAME).",)
    assert found.forms == {str(path): "run directory"}
    assert found.table.strata == []
    found = read_scores([path], ReadingSettings(metric="recall"))
    assert (scores(found), found.notes) == ([1.0, 0.125], ())
    with pytest.raises(UsageError, match=r"run: there is no measure 'recal'\. Did you mean 'recall'\? There"):
        read_scores([path], ReadingSettings(metric="recal"))


def test_different_measures_are_not_compared(write):
    one, two = write("one", measures=both("a")), write("two", default="recall", measures=both("b"))
    with pytest.raises(UsageError, match="two: the scores are 'recall', but 'f1' in .*one. Name one measure"):
        read_scores([one, two])
    found = read_scores([one, two], ReadingSettings(metric="recall"))
    assert scores(found) == [1.0, 0.125] * 2
