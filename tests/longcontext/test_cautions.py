"""What travels with the scores of a grading."""

from longcontext.page.graded_record import finding, playing, probe, record, typed
from tellapart.longcontext.score_table import decisive, limitations


def cautions(record):
    return tuple(limit.text for limit in limitations(typed(record)))


def two_probes(**changes):
    cases = [playing("c", {"M1": 5}, model=model) for model in ("a", "b")]
    probes = [probe("c", v, "Recall", "CORRECT", "Q?", "x", "x", model=m) for m in "ab" for v in ("V1", "V2")]
    return record(cases, probes, **changes)


def test_an_error_of_lint_counts_a_probe_once_however_many_models_met_it():
    for severity, check, said in (
        ("warning", "answerability", ()),
        ("error", "answerability", ("1 of 2 probes ask for something that the conversation never showed.",)),
        ("error", "roles", ("1 turn came after a failed turn that stayed in the conversation.",)),
    ):
        found = [finding(severity, check, "c", "V1", message) for message in ("by a", "by b")]
        assert cautions(two_probes(findings=found)) == said


def test_a_judge_that_failed_is_counted_among_what_was_put_to_it():
    made = two_probes()
    for one, missing in zip(made["probes"], (None, "judge", "budget", None), strict=True):
        one |= {"grader": "judge", "missing": missing, "value": None if missing else 1.0}
    made["probes"][3] |= {"grader": "rules", "value": None, "missing": "provider"}
    assert cautions(made) == ("The judge gave no usable grade for 2 of 3 answers (budget 1, judge 1).",)


def abstained(**left):
    """Forty decidable answers of each model, of which code left so many."""
    made = []
    for model, n in left.items():
        for i in range(40):
            given = {"grader": "rules"} | ({"missing": "rules cannot tell"} if i < n else {})
            category = "EVAL_ERROR" if i < n else "CORRECT"
            made.append(probe("c", f"V{i}", "Recall", category, "Q?", "x", "x", model=model, **given))
    return record([playing("c", {"M1": 5}, model=model) for model in left], made)


def test_a_model_from_whose_answers_code_abstains_more_than_by_chance():
    # Fisher's exact test: 0 and 6 of 40 have p = .026, 0 and 5 of 40 p = .055.
    assert cautions(abstained(a=0, b=6)) == (
        "Code left 6 of 40 answers of b ungraded and 0 of 40 of a, which is more than chance: a judge or a "
        "person must grade them.",
    )
    assert cautions(abstained(a=0, b=5)) == ()
    # Of three models the most different pair is one of three.
    assert cautions(abstained(a=0, b=3, c=6)) == ()


def test_evidence_that_is_near_in_a_long_context_decides_what_scores_say():
    for claim in ({"peak_tokens": 100_000}, {"peak_tokens": 9_000, "expected_tokens": 100_000}):
        probes = [probe("c", f"V{n}", None, "CORRECT", "Q?", "x", "x", distance_tokens=n) for n in (12345, 9)]
        made = record([playing("c", {"M1": 5}, **claim)], probes)
        said = "No evidence is farther than 12K tokens from its question, where contexts of 100K are claimed."
        assert (cautions(made), decisive(typed(made)).text) == ((said,), said)
    made["probes"][0]["distance_tokens"] = 50_000
    assert cautions(made) == ()
