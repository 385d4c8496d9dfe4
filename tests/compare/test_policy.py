"""A policy over several benchmarks: its three ends, what is required, relative limits, NVIDIA's own files."""

import json
from xml.etree import ElementTree

import pytest

from tellapart.compare.policy import Policy, Status, judge_policy, read_policy
from tellapart.errors import InputError

POLICY = """
version: 1
defaults:
  tier: supporting
  metric: mean_reward
  max_drop: 0.02
benchmarks:
  knowledge:
    tier: critical
  code:
  contest:
    tier: advisory
"""


@pytest.fixture
def release(tmp_path):
    """Write both sides of a release: by benchmark the items, and how many each side has right."""
    (tmp_path / "gate.yaml").write_text(POLICY)

    def write(**benchmarks):
        for name, (items, *right) in benchmarks.items():
            for side, so_many in zip(("baseline", "candidate"), right, strict=True):
                (tmp_path / side).mkdir(exist_ok=True)
                rows = "".join(f"m,q{i:04d},{int(i < so_many)}\n" for i in range(items))
                (tmp_path / side / f"{name}.csv").write_text(f"model,item,score\n{rows}")
        return tmp_path / "baseline", tmp_path / "candidate", tmp_path / "gate.yaml"

    return write


GOOD = {"knowledge": (1000, 700, 702), "code": (800, 400, 398)}


@pytest.mark.parametrize(
    ("changed", "verdict", "code", "words"),
    [
        ({}, "GO", 0, "GO. Within the limit: code and knowledge."),
        ({"code": (800, 400, 300)}, "NO-GO", 3, "NO-GO. Beyond the limit: code; within the limit: knowledge"),
        ({"code": (60, 30, 29)}, "INCONCLUSIVE", 4, "INCONCLUSIVE. Cannot tell: code;"),
        ({"contest": (400, 300, 100)}, "GO", 0, "GO. Within the limit: code and knowledge."),
    ],
)
def test_a_policy_ends_in_three_ways(tellapart, release, tmp_path, changed, verdict, code, words):
    *sides, policy = release(**(GOOD | changed))
    done = tellapart("compare", *sides, "--policy", policy, "--junit", tmp_path / "gate.xml")
    assert (done.code, done.out[: len(words)]) == (code, words)
    cases = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert [case.get("name") for case in cases] == ["code [supporting]", "knowledge [critical]"]
    record = json.loads(tellapart("compare", *sides, "--policy", policy, "--json").out)
    assert (record["verdict"], record["tests"]) == (verdict, 2)


def test_a_required_benchmark_that_is_missing_is_no_go_and_an_advisory_one_is_not(tellapart, release):
    *sides, policy = release(knowledge=GOOD["knowledge"])
    done = tellapart("compare", *sides, "--policy", policy)
    assert done.code == 3
    assert done.out.startswith("NO-GO. Required but missing: code; within the limit: knowledge.")
    judged = judge_policy(*sides, read_policy(policy))
    assert [(of.benchmark, of.status) for of in judged.benchmarks] == [
        ("code", Status.MISSING),
        ("contest", Status.MISSING),
        ("knowledge", Status.PASS),
    ]


def test_a_breach_is_corrected_over_all_tests_and_a_pass_is_not(release):
    # Of 1,000 items 42 are lost: the lower end at 5 % is beyond .03, and at 5 % over ten tests it is not.
    *sides, _ = release(code=(1000, 500, 458))
    alone = judge_policy(*sides, Policy(benchmarks={"code": {"max_drop": 0.03}}))
    assert alone.verdict == "NO-GO"
    release(**{f"b{i}": (1000, 500, 500) for i in range(9)})
    among_ten = judge_policy(*sides, Policy(benchmarks={"code": {"max_drop": 0.03}}))
    assert (among_ten.verdict, among_ten.tests) == ("INCONCLUSIVE", 10)
    (code,) = (of for of in among_ten.benchmarks if of.benchmark == "code")
    assert code.reason.endswith("Corrected over 10 tests it may be chance.")


@pytest.mark.parametrize(
    ("guard", "right", "verdict", "tests"),
    [
        (None, 60, "GO", 1),
        ({"max_relative_drop": 0.2, "relative_guard_below": 0.2}, 60, "NO-GO", 2),
        ({"max_relative_drop": 0.2, "relative_guard_below": 0.05}, 60, "GO", 1),
        ({"max_relative_drop": 0.2}, 99, "GO", 2),
    ],
)
def test_a_relative_limit_is_a_limit_on_the_baselines_mean(release, guard, right, verdict, tests):
    # 100 of 1,000 fall to 60: 4 points are allowed, two fifths of the baseline's mean are not.
    *sides, _ = release(contest=(1000, 100, right))
    judged = judge_policy(*sides, Policy(benchmarks={"contest": {"max_drop": 0.06} | (guard or {})}))
    assert (judged.verdict, judged.tests) == (verdict, tests)


def test_a_benchmark_without_a_rule_has_the_default_one_and_tiers_inherit():
    policy = Policy(defaults={"tier": "critical"}, benchmarks={"a": {"max_drop": 0.1}})
    assert policy.rule("a").model_dump(exclude_none=True) == {
        "tier": "critical",
        "max_drop": 0.1,
        "metric": "mean_reward",
        "direction": "higher_is_better",
    }
    assert policy.rule("b").max_drop == 0.015


def test_lower_is_better_turns_the_drop_round(tmp_path):
    for side, loss in (("baseline", 2.0), ("candidate", 2.4)):
        (tmp_path / side).mkdir()
        rows = "".join(f"m,q{i},{loss + (i % 7) * loss / 10}\n" for i in range(200))
        (tmp_path / side / "loss.csv").write_text(f"model,item,score\n{rows}")
    rule = {"direction": "lower_is_better", "max_drop": 0.1}
    sides = tmp_path / "baseline", tmp_path / "candidate"
    assert judge_policy(*sides, Policy(benchmarks={"loss": rule})).verdict == "NO-GO"
    assert judge_policy(*reversed(sides), Policy(benchmarks={"loss": rule})).verdict == "GO"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version: 2\n", "version"),
        ("benchmarks: {a: {max_drop: -1}}\n", "benchmarks.a.max_drop"),
        ("benchmarks: {a: {metric: bleu}}\n", "benchmarks.a.metric"),
        ("benchmarks: {a: {maxdrop: 0.1}}\n", "maxdrop"),
    ],
)
def test_a_damaged_policy_is_refused(tmp_path, text, words):
    (tmp_path / "gate.yaml").write_text(text)
    with pytest.raises(InputError, match=words):
        read_policy(tmp_path / "gate.yaml")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (POLICY, ("--max-drop", "0.1"), "--policy is given with --max-drop"),
        (POLICY, ("--missing", "-1"), "--policy is given with options of how scores are read or compared"),
        (
            "benchmarks: {code: {max_drop: 2}}\n",
            (),
            "gate.yaml: max_drop of 'code' is 2, expected less than the range of its scores, 1.",
        ),
        (
            "defaults: {tier: advisory}",
            (),
            "gate.yaml: no benchmark decides, all are advisory: code and knowledge. Make one critical",
        ),
    ],
)
def test_a_policy_that_cannot_decide_or_with_other_options_is_refused(
    tellapart, release, text, options, words
):
    *sides, policy = release(**GOOD)
    policy.write_text(text)
    done = tellapart("compare", *sides, "--policy", policy, *options)
    assert (done.code, done.out, words in done.err) == (2, "", True)


def bundle(folder, name, rewards):
    """A bundle as NeMo Evaluator writes it: two repeats of each problem."""
    folder.mkdir(parents=True)
    (folder / f"eval-{name}.json").write_text(json.dumps({"benchmark": {"name": name, "scores": {}}}))
    rows = [{"problem_idx": i, "repeat": k, "reward": r} for i, r in enumerate(rewards) for k in (0, 1)]
    (folder / "results.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def bundles(tmp_path, lost):
    for side, right in (("baseline", 500), ("candidate", 500 - lost)):
        bundle(tmp_path / side / "run7", "gpqa", [float(i < right) for i in range(1000)])
    return tmp_path / "baseline", tmp_path / "candidate"


def test_bundles_of_nemo_evaluator_are_read_under_the_names_they_have(tmp_path):
    judged = judge_policy(*bundles(tmp_path, 100), Policy(benchmarks={"gpqa": {"tier": "critical"}}))
    (gpqa,) = judged.benchmarks
    assert (judged.verdict, gpqa.benchmark, gpqa.gate.n, gpqa.gate.drop) == ("NO-GO", "gpqa", 1000, 0.1)
    (tmp_path / "baseline" / "run7" / "results.jsonl").write_text('{"problem": 1}\n')
    with pytest.raises(InputError, match="Each line needs problem_idx, repeat and reward"):
        judge_policy(tmp_path / "baseline", tmp_path / "candidate", Policy())


@pytest.mark.parametrize(("lost", "verdict"), [(0, "GO"), (100, "NO-GO"), (15, "INCONCLUSIVE")])
def test_nemo_evaluator_itself_reads_the_same_policy_and_ends_alike_where_it_is_clear(
    tmp_path, lost, verdict
):
    pytest.importorskip("nemo_evaluator", reason="NeMo Evaluator 0.3 needs Python 3.12; not installed")
    from nemo_evaluator.config.gate_policy import load_gate_policy
    from nemo_evaluator.engine.gate import gate_runs

    sides = bundles(tmp_path, lost)
    (tmp_path / "gate.yaml").write_text("benchmarks: {gpqa: {tier: critical, metric: pass@1}}\n")
    theirs = gate_runs(*sides, load_gate_policy(tmp_path / "gate.yaml"))
    ours = judge_policy(*sides, read_policy(tmp_path / "gate.yaml"))
    assert (ours.verdict, str(theirs.verdict)) == (verdict, verdict)
    assert ours.benchmarks[0].gate.drop == pytest.approx(-theirs.benchmarks[0].delta)
