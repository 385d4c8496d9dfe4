import pytest


@pytest.fixture
def generate(tellapart, tmp_path):
    def run(*arguments):
        return tellapart("longcontext", "generate", "--out", tmp_path / "exp", *arguments)

    return run


def test_conversations_of_another_design_in_the_same_directory_are_counted(generate, tmp_path):
    assert "other conversations" not in generate("--lengths", "1K", "--conversations", "2").err
    done = generate("--lengths", "2K", "--conversations", "1")
    assert f"{tmp_path / 'exp'} holds 2 other conversations, which 'run' plays too" in done.err
