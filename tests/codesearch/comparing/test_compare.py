import json
import random
from dataclasses import replace

import pytest

from codesearch.explored_cases import case
from tellapart.audit.analysis import audit_files
from tellapart.codesearch.evaluation import Evaluation
from tellapart.codesearch.metrics.score_tables import score_tables
from tellapart.codesearch.system_comparison import compare
from tellapart.core.comparison import Verdict, from_json, to_json
from tellapart.core.stats import PairedTest
from tellapart.errors import InputError, UsageError
from tellapart.report.comparison import headline
from tellapart.store import RunPlan


def evaluation(*cases):
    return Evaluation(1, None, tuple(cases))


# Both runs found c and d, one of them a, b and e. The first system found a, c and x, which is relevant, the
# second c, d, e and y, which is not.
FIRST = case("one", "abcd", "cde", "acx", judged="x")
SECOND = case("one", "abcd", "cde", "cdey", judged="")


def test_two_systems_by_hand():
    # 6/9 to 6/9 and 1 to 0.
    more = [case("two", "ab", "a", "ab", area="feed"), case("two", "ab", "a", "z", area="feed", judged="")]
    found = compare({"first": evaluation(FIRST, more[0]), "second": evaluation(more[1], SECOND)})
    (pair,) = found.comparison.primary.pairs
    assert (pair.a, pair.b, pair.n, pair.difference) == ("first", "second", 2, 0.5)
    # Of the four ways to flip signs all are as extreme: one difference is 0.
    assert (pair.p, pair.p_adjusted, pair.verdict) == (1, 1, Verdict.NOT_SEPARATED)
    record = found.to_json()
    assert record["comparison"] == to_json(found.comparison)
    assert [one["stratum"] for one in record["comparison"]["secondary"]["pairs"]] == ["feed", "uncertain"]
    assert record["sentences"] == ["first and second on 2 conversations, by F1"]
    json.dumps(record, allow_nan=False)


def random_evaluation(rng, n, ours, names=("ax", "bx")):
    """Conversations of which a system finds each file with this chance, and finds others that are wrong."""
    made = []
    for number in range(n):
        truth = "".join(rng.sample("abcdefgh", 5))
        found = [f for f in truth if rng.random() < ours] + rng.sample("uvwxyz", 2)
        area = "feed" if number % 3 else "health"
        made.append(case(f"{number:02}", truth, truth[:3], "".join(found), judged="", area=area, names=names))
    return evaluation(*made)


@pytest.fixture
def runs(tmp_path):
    """Run directories of two systems, with the score tables that an evaluation writes."""
    rng = random.Random(5)
    given = {"ours": random_evaluation(rng, 20, 0.7), "theirs": random_evaluation(rng, 20, 0.35)}
    for name, one in given.items():
        with RunPlan("codesearch", {"name": name}, {}, seed=42, out=tmp_path / name).writing() as run:
            for file, scores in score_tables(one, system=name).items():
                (run.path / file).parent.mkdir(parents=True, exist_ok=True)
                run.write_frame(file, scores.frame, scores.notes)
    return given, [tmp_path / name for name in given]


def test_the_verdict_is_that_of_an_audit_of_the_same_runs_to_the_last_bit(runs):
    given, paths = runs
    found = compare(given)
    audited = to_json(audit_files(paths).findings.comparison)
    assert found.to_json()["comparison"]["primary"] == audited["primary"]
    assert found.to_json()["comparison"]["secondary"] == audited["secondary"]
    assert audited["secondary"]["by"] == "product_area"
    (pair,) = found.comparison.primary.pairs
    assert (pair.verdict, pair.test, pair.n) == (Verdict.A_BETTER, PairedTest.SIGN_FLIP, 20)


def test_what_makes_a_verdict_circular_is_stored_with_the_scores_and_stands_in_the_first_sentence(runs):
    rng = random.Random(5)
    facts = {"system": "lexical"}
    lexical = replace(random_evaluation(rng, 20, 0.7, names=("lexical", "names")), facts=facts)
    other = random_evaluation(rng, 20, 0.35, names=("lexical", "names"))
    why = (
        "lexical is judged by its own kind, run A (lexical): both match the words of the issue, so "
        "they agree by construction; compare by gold files"
    )
    assert score_tables(lexical, system="lexical")["scores.parquet"].notes.withheld == {"lexical": why}
    found = compare({"lexical": lexical, "other": other})
    assert headline(found.comparison).startswith(f"No verdict for lexical and other: {why}. Beware: ")
    (pair,) = found.comparison.primary.pairs
    assert (pair.verdict, pair.items_needed.value, pair.chance) == (Verdict.WITHHELD, None, None)
    assert pair.p_adjusted < 0.01
    assert from_json(to_json(found.comparison)) == found.comparison


def test_conversations_that_are_not_common():
    found = compare({"first": evaluation(FIRST, case("two", "a", "a", "a")), "second": evaluation(SECOND)})
    record = found.to_json()
    assert record["conversations"] == 1
    assert "Conversations that not all evaluations have are left out: 1 of first" in record["sentences"]
    with pytest.raises(InputError, match="first has 'one', second has 'two'"):
        compare({"first": evaluation(FIRST), "second": evaluation(case("two", "a", "a", "a"))})
    with pytest.raises(UsageError, match="1 evaluation to compare"):
        compare({"first": evaluation(FIRST)})
