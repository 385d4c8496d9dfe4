import pytest
import yaml


@pytest.fixture
def generate(tellapart, tmp_path):
    def run(*arguments):
        return tellapart("longcontext", "generate", "--out", tmp_path / "exp", *arguments)

    return run


SMALL = ("--lengths", "2K,4K", "--conversations", "2", "--depths", "0,100", "--traps", "0")


def test_files_are_written_and_what_they_cost_is_said(generate, tmp_path):
    done = generate(*SMALL, "--depths", "0,30,70,100", "--distractors", "3")
    out = tmp_path / "exp"
    assert (done.code, done.out) == (0, "")
    assert [path.name for path in sorted(out.iterdir())] == [
        "2K-01.yaml", "2K-02.yaml", "4K-01.yaml", "4K-02.yaml",
    ]  # fmt: skip
    # Two and four messages, four questions each.
    assert "4 conversations, 16 questions: about 28 calls and " in done.err
    assert f"wrote 2 conversations of 4,000 tokens to {out}\n" in done.err
    assert done.err.endswith(f"next: tellapart longcontext lint {out}\n")
    case = yaml.safe_load((out / "4K-02.yaml").read_text())
    assert [next(iter(step)) for step in case["steps"]] == ["message"] * 4 + ["verification"] * 4
    assert {step["intended_tokens"] for step in case["steps"][4:]} == {4000}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--lengths", "2K,two"], "--lengths has 'two', expected tokens from 500 to 10M"),
        (["--depths", "0,150"], "--depths has '150', expected percentages from 0 (the beginning) to 100"),
        (["--lengths", "1K", "--traps", "40"], "do not fit into 1,000 tokens. They need "),
        (["--distractors", "11"], "should be less than or equal to 10"),
    ],
)
def test_what_cannot_be_made_is_told_before_anything_is_written(generate, tmp_path, arguments, said):
    done = generate(*arguments)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())
    assert not (tmp_path / "exp").exists()
