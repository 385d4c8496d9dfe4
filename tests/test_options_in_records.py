"""Every option of a command that makes a run is in the run's record, or is listed here as without effect.

A dry run plans the run that the same command would make, so there is one with each option and one without.
An option that is in neither list fails the test.
"""

from pathlib import Path

import pytest
from typer.main import get_command

from codesearch.pipeline_files import make_code, pipeline, search_results, searched
from tellapart.cli.main import app
from tellapart.codesearch.explorers.journal import EXPLORATIONS
from tellapart.store import RunPlan

FIXTURES = Path(__file__).parent / "longcontext" / "fixtures"
CASE, ANSWERS = FIXTURES / "case_1_short.txt", FIXTURES / "answers.txt"
RESULTS = FIXTURES / "case_1_smoke_result.json"

# Options of language models: how long they are waited for, and what they may cost.
FREE_OF_MODELS = {
    *("--timeout", "--max-retries", "--max-failures", "--max-connections"),
    *("--price", "--max-cost", "--on-budget"),
}
# Where work is done.
FREE_OF_ENGINES = {"--engine", "--workers", "--memory", "--address", "--num-gpus"}
OF_MODELS = {
    "--llm-base-url": ["http://localhost:1/v1"],
    "--temperature": ["1"],
    "--max-tokens": ["7"],
    "--llm-seed": ["1"],
    "--reasoning-effort": ["low"],
    "--response-schema": [],
    "--anthropic-version": ["2020-01-01"],
}
JUDGED = ["--grader", "judge", "--judge", "anthropic/a"]
CODE = ["--iteration", "1", "--repos-path", "code", "--repo", "aero", "--repo", "tack"]
EXPLORED = ["--explorer-a", "agent:anthropic/a", "--explorer-b", "claude-code:b"]
TO = ["--target-tokens", "9"]
KNOWN = """\
name: known
steps:
- message: M1
  text: The lamp is green.
- verification: V1
  text: Which colour has the lamp?
  expected: green
"""

# A command with what it needs; of each option its value, and what must be given too; the options that change
# nothing of what is done.
COMMANDS = [
    (
        ["longcontext", "run", CASE, "--model", "anthropic/a"],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items() if flag != "--response-schema"},
            "--model": (["openai/b"], []),
            "--answers": ([ANSWERS], ["--control", "oracle"]),
            "--continues": (["before.txt"], []),
            "--target-tokens": (["9"], []),
            "--max-repeats": (["1"], TO),
            "--no-probes-last": ([], TO),
            "--fork-probes": ([], []),
            "--epochs": (["2"], []),
            "--control": (["closed-book"], []),
            "--until-separated": ([], ["known.yaml", "--model", "openai/c"]),
            "--command": (["assistant {session}"], []),
            "--name": (["mine"], ["--command", "assistant"]),
            "--reuse": (["earlier"], []),
        },
        # A reply in a conversation has no schema, so that option is refused.
        {"--out", "--delay", "--turn-timeout", "--pass-env", "--run", "--quiet", "--response-schema"},
    ),
    (
        [
            "longcontext",
            "grade",
            RESULTS,
            "--answers",
            ANSWERS,
            "--grader",
            "judge",
            "--judge",
            "anthropic/a",
        ],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items()},
            "--answers": (["other.txt"], []),
            "--cases": ([CASE], []),
            "--name": (["mine"], []),
            "--grader": (["both"], []),
            "--strict-key": ([], []),
            "--judge": (["openai/b"], []),
            "--judge-repeats": (["2"], []),
            "--show-evidence": ([], ["--cases", CASE]),
            "--show-scoring": ([], []),
            "--reuse": (["earlier"], []),
        },
        {
            "--delay",
            "--out",
            "--html",
            "--run",
            "--verbose",
            "--quiet",
            "--json",
            "--metrics-json",
            "--strict",
        },
    ),
    (
        ["contrastive", "run", "bench", "--llm", "anthropic/a"],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items()},
            "--model": (["bm25"], []),
            "--llm": (["openai/b"], []),
            "--base-url": (["http://localhost:1/v1"], []),
            "--orders": (["2"], []),
            "--repeats": (["2"], []),
            "--reuse": (["earlier"], []),
            "--primary": (["difficulty=easy"], []),
            "--swaps": ([], []),
            "--until-separated": ([], ["--llm", "openai/c"]),
        },
        {"--out", "--json", "--metrics-json", *FREE_OF_ENGINES},
    ),
    (
        ["contrastive", "judge", "bench", "--judge", "anthropic/a"],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items()},
            "--judge": (["openai/b"], []),
            "--method": (["pairwise"], []),
            "--units": (["3"], []),
            "--family": (["anthropic/a=lab"], []),
            "--reuse": (["earlier"], []),
        },
        {"--out", "--json"},
    ),
    (
        ["contrastive", "retrieve", "bench", "--model", "bm25", "--queries", "llm:anthropic/a"],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items()},
            "--model": (["lsa"], []),
            "--queries": (["llm:openai/b"], []),
            "--base-url": (["http://localhost:1/v1"], []),
            "--reuse": (["earlier"], []),
        },
        {"--out", "--json"},
    ),
    (
        ["codesearch", "evaluate", "--in", "search_results.json", *CODE, *EXPLORED, "--judge", "anthropic/a"],
        {
            **{flag: (value, []) for flag, value in OF_MODELS.items()},
            "--in": (["others.json"], []),
            "--config": (["config.json"], []),
            "--repos-path": (["other"], []),
            "--repo": (["more"], []),
            "--explorer-a": (["lexical"], []),
            "--explorer-b": (["lexical"], []),
            "--judge": (["openai/b"], []),
            "--iteration": (["2"], []),
            "--retest": (["1"], []),
            "--gold": (["gold.json"], []),
            "--at-base": ([], []),
            "--reuse": (["earlier"], []),
            "--seed": (["1"], []),
        },
        # Iterations of a state are recorded as calibration; here are none.
        {
            *("--state", "--out", "--concurrency", "--run", "--strict", "--json", "--metrics-json"),
        },
    ),
]


@pytest.fixture
def record(tellapart, monkeypatch):
    """What the record of a command's run says, its version aside; the command itself does nothing."""
    plans = []
    monkeypatch.setattr(RunPlan, "check_path", lambda plan: plans.append(plan))

    def planned(*words):
        plans.clear()
        ended = tellapart(*words, "--dry-run")
        assert (ended.code, len(plans)) == (0, 1), (words, ended)
        return plans[0].config, plans[0].inputs, plans[0].seed

    return planned


def flags_of(group, name):
    """The options of a command; of a pair the one that is not the default."""
    command = get_command(app).commands[group].commands[name]
    contrary = {"--probes-last": "--no-probes-last"}
    first = [parameter.opts[0] for parameter in command.params if parameter.opts[0].startswith("-")]
    return {contrary.get(flag, flag) for flag in first}


def write_pipeline(place):
    """Search results, a config file and repositories, each of them twice and different."""
    for name in ("code", "other"):
        make_code(place / name)
    for file in ("other/aero/more.py", "code/more/more.py"):
        (place / file).parent.mkdir(exist_ok=True)
        (place / file).write_text("more = 1\n")
    (place / "search_results.json").write_text(search_results(iteration_number=None))
    (place / "others.json").write_text(pipeline(searched("c1"), iteration_number=None))
    (place / "gold.json").write_text('{"c1": ["aero/lib/pins.py"]}')
    (place / "config.json").write_text('{"retest": 2}')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "recorded", "free"),
    COMMANDS,
    ids=lambda one: "-".join(one[:2]) if isinstance(one, list) else "",
)
def test_every_option_is_recorded_or_has_no_effect(
    command, recorded, free, record, tmp_path, monkeypatch, request
):
    monkeypatch.chdir(tmp_path)
    if command[:2] == ["contrastive", "judge"]:
        planted = pytest.importorskip("contrastive.judging.planted", exc_type=ImportError)
        planted.planted_bench(tmp_path / "bench", count=6)
    elif command[0] == "contrastive":
        request.getfixturevalue("tiny_bench")
    elif command[0] == "codesearch":
        write_pipeline(tmp_path)
    (tmp_path / "earlier" / "artifacts").mkdir(parents=True)
    for journal in ("calls.jsonl", EXPLORATIONS):
        (tmp_path / "earlier" / journal).touch()
    (tmp_path / "known.yaml").write_text(KNOWN)
    (tmp_path / "before.txt").write_text("=== MESSAGE 90 ===\nGood morning.\n")
    (tmp_path / "other.txt").write_text(ANSWERS.read_text(encoding="utf-8").replace("A: ", "A: about "))
    assert set(recorded) | free | FREE_OF_MODELS | {"--dry-run"} == flags_of(*command[:2])
    assert not set(recorded) & (free | FREE_OF_MODELS)
    without = {}
    for flag, (value, also) in recorded.items():
        without[tuple(also)] = without.get(tuple(also)) or record(*command, *also)
        assert record(*command, *also, flag, *value) != without[tuple(also)], flag
