import pytest


@pytest.fixture
def generate(tellapart, tmp_path):
    def run(*arguments):
        return tellapart("longcontext", "generate", "--out", tmp_path / "exp", *arguments)

    return run


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


def test_conversations_of_another_design_in_the_same_directory_are_counted(generate, tmp_path):
    assert "other conversations" not in generate("--lengths", "1K", "--conversations", "2").err
    done = generate("--lengths", "2K", "--conversations", "1")
    assert f"{tmp_path / 'exp'} holds 2 other conversations, which 'run' plays too" in done.err
