"""Programs are given what they need to run, and no key that nobody passed to them."""

import pytest

from tellapart.environment.programs import check_passed, child_environment, withheld_hint, withheld_keys
from tellapart.errors import UsageError

GIVEN = {"PATH": "/bin", "HOME": "/home/me", "LC_ALL": "C", "VIRTUAL_ENV": "/venv", "PYTHONPATH": "/src"}
GIVEN |= {"TMPDIR": "/tmp/x", "https_proxy": "http://proxy:3128"}
KEYS = {"OPENAI_API_KEY": "sk-1234567890", "PYTHON_KEYRING_PASSWORD": "hush-hush"}
KEYS |= {"TELLAPART_SEARCH_TOKEN": "hush-hush", "HTTPS_PROXY": "http://me:hunter22@proxy:3128"}
OTHERS = {"AWS_PROFILE": "work", "MY_INDEX": "/index", "MY_MODE": "fast"}
OURS = GIVEN | KEYS | OTHERS | {"OPENAI_BASE_URL": "http://localhost"}


def test_a_program_is_given_what_programs_need_and_nothing_secret(monkeypatch):
    monkeypatch.setattr("os.environ", OURS)
    assert child_environment() == GIVEN
    passed = child_environment(("OPENAI_API_KEY", "MY_*"))
    assert passed.keys() - GIVEN.keys() == {"OPENAI_API_KEY", "MY_INDEX", "MY_MODE"}
    assert child_environment(("HTTPS_PROXY",))["HTTPS_PROXY"] == OURS["HTTPS_PROXY"]
    assert child_environment(("*",)) == OURS


def test_what_cannot_be_passed_is_refused(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890")
    check_passed(["OPENAI_API_KEY", "OPENAI_*", "*", "NOTHING_OF_THIS_NAME_*"])
    for name, says in {
        "OPENAI_API_KEY=x": "give --pass-env OPENAI_API_KEY",
        "OPENAI_API_KY": "which is not set in the environment. Did you mean OPENAI_API_KEY?",
        "": "expected the name of a variable",
        "A*B": "expected the name of a variable, or NAME*",
        "A B": "expected the name of a variable, or NAME*",
    }.items():
        with pytest.raises(UsageError, match="--pass-env") as caught:
            check_passed([name])
        assert says in str(caught.value)


def test_a_program_that_fails_is_said_to_lack_the_keys_that_it_was_not_given(monkeypatch):
    for name in withheld_keys():
        monkeypatch.delenv(name)
    assert withheld_hint() == ""
    for name in ("A_KEY", "B_TOKEN", "C_SECRET", "D_PASSWORD"):
        monkeypatch.setenv(name, "hush-hush")
    assert withheld_hint() == (
        "; it was not given A_KEY, B_TOKEN, C_SECRET and 1 more of the environment: if it needs one, pass it "
        "with --pass-env A_KEY"
    )
    assert withheld_hint(["A_KEY", "B_*", "C_SECRET"]).startswith("; it was not given D_PASSWORD of the")
