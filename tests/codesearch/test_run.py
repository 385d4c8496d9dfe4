"""An evaluation by offline explorers: the same bytes from the same inputs, whatever goes wrong on the way."""

import json

import pytest

from codesearch.pipeline_files import ISSUES, evaluate_results, make_code, pipeline, search_results, searched
from tellapart.cli.progress import Lines
from tellapart.codesearch.recordings import read_evaluation
from tellapart.codesearch.repositories import Repositories
from tellapart.codesearch.request import Workspace, request_evaluation
from tellapart.codesearch.run import estimate_evaluation
from tellapart.codesearch.scoring import score_evaluation
from tellapart.codesearch.settings import EvaluationSettings
from tellapart.core.progress import SILENT
from tellapart.errors import UsageError
from tellapart.llm.models import LanguageModel

ITERATION = "artifacts/evaluation.json"


@pytest.fixture
def place(tmp_path):
    make_code(tmp_path / "code")
    return tmp_path


def surroundings(place, names=("aero", "tack"), **options):
    return Workspace(Repositories.open(place / "code", names), place / "index", **options)


def evaluate(place, out="run", *, given=None, around=None, progress=SILENT, **settings):
    return evaluate_results(
        (search_results() if given is None else given).encode(),
        EvaluationSettings(**settings),
        around or surroundings(place),
        out=place / out,
        progress=progress,
    )


def written(run):
    """Every file of a run that is made from its inputs, with its bytes."""
    names = [ITERATION, "scores.parquet"]
    names += sorted(str(path.relative_to(run)) for path in run.glob("artifacts/scores/*.parquet"))
    return {name: (run / name).read_bytes() for name in names}


def test_the_same_bytes_whatever_the_concurrency_the_order_of_repositories_and_the_directory(place):
    first = evaluate(place, "run", retest=2)
    others = [
        evaluate(place, "elsewhere/deep/run", retest=2, concurrency=1),
        evaluate(place, "third", retest=2, around=surroundings(place, ("tack", "aero", "tack"))),
    ]
    make_code(place / "moved" / "code")
    others.append(evaluate(place / "moved", retest=2))
    for other in others:
        assert other.evaluation.to_json() == first.evaluation.to_json()
        assert written(other.run) == written(first.run)
    assert len(written(first.run)) > 5


def test_a_complete_run_is_given_again_and_other_input_is_not_written_over_it(place):
    first = evaluate(place)
    before = written(first.run)
    told = []
    again = evaluate_results(
        search_results().encode(),
        EvaluationSettings(),
        surroundings(place),
        out=first.run,
        progress=Lines(told.append),
    )
    assert (again.evaluation.to_json(), told) == (
        first.evaluation.to_json(),
        [f"this was evaluated before, see {first.run}"],
    )
    with pytest.raises(UsageError, match="another run exists already"):
        evaluate(place, given=pipeline(searched("c1")))
    assert written(first.run) == before


def test_a_sample_of_what_nobody_returned_is_judged_apart_from_our_files(place):
    judged = {"judge": LanguageModel("offline/uncommon-words"), "assess": False, "seed": 5}
    first = evaluate(place, "first", sample_rest=3, **judged).evaluation
    sampled = first.figures.sampled_recall
    returned = sum(len(case.ours | case.ground_truth) for case in first.cases)
    files = sum(part.files for part in sampled.strata.values())
    assert files == 4 * len(ISSUES) - returned
    assert sum(part.sampled for part in sampled.strata.values()) == min(3, files)
    for case in first.cases:
        drawn = {file for of in case.rest.sampled.values() for file in of}
        assert case.rest.verdicts.keys() == drawn and not drawn & case.verdicts.keys()
    # A sample changes no figure of the method itself, and comes back from the record.
    plain = evaluate(place, "plain", **judged).evaluation
    assert first.figures.measures == plain.figures.measures
    again = read_evaluation(json.dumps(first.to_json()))
    assert [case.rest for case in again.cases] == [case.rest for case in first.cases]
    assert score_evaluation(again).figures.sampled_recall == sampled


def test_a_sample_without_anybody_to_rule_on_it_is_refused(place):
    with pytest.raises(UsageError, match="draws files for a judge"):
        evaluate(place, sample_rest=3)


def test_what_a_judge_would_take_is_estimated_and_nothing_without_one(place):
    def estimated(judge):
        settings, source = EvaluationSettings(judge=judge), search_results().encode()
        request = request_evaluation(source, settings, surroundings(place), where="it")
        return list(estimate_evaluation(request, out=place / "run"))

    name = "offline/uncommon-words"
    assert estimated(None) == []
    assert estimated(LanguageModel(name)) == [f"{name}, judging", f"{name}, assessing"]
