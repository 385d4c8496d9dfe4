import pytest

from codesearch.systems.searched import request, searched
from tellapart.codesearch.kinds import load
from tellapart.codesearch.model import Failed
from tellapart.errors import UsageError

MODULE = """
import asyncio, time

def find(issue, repos_path):
    if issue == "slow":
        time.sleep(1)
    if issue == "bad":
        raise ValueError("no such\\nindex")
    if issue == "none":
        return None
    return (path for path in [repos_path / "a" / "pins.py", {"path": "b/board.py"}])

async def later(issue, repos_path):
    if issue == "slow":
        time.sleep(0.5)
    if issue in ENDS:
        raise ENDS[issue]
    return {"files_found": [], "search_terms_used": [issue]}

def one(issue):
    return []

ENDS = {error.__name__: error for error in (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)}

def ends(issue, repos_path):
    raise ENDS[issue]
"""


@pytest.fixture
def module(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    return tmp_path / "mine.py"


def test_a_function_gets_the_issue_and_the_directory_and_may_give_paths(tmp_path, module):
    files, slow, bad, none = searched(
        tmp_path, f"python:{module}:find", "pins", "slow", "bad", "none", timeout_s=0.3
    )
    assert files.output == [str(tmp_path / "code" / "a" / "pins.py"), {"path": "b/board.py"}]
    name = f"python:{module}:find"
    assert slow == Failed("timeout", "timeout", f"{name} took more than 0.3 s")
    assert bad == Failed("provider", "raised", f"{name} raised ValueError: no such index")
    assert (none.cause, none.kind) == ("parse", "output")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:{}:fnd", "Did you mean 'find'"),
        ("python:{}:one", "cannot be called with"),
        ("python:{}", "expected MODULE:FUNCTION"),
        ("python:{}x.py:find", "there is no such file"),
        ("python:no_such_module:find", "No module named 'no_such_module'"),
    ],
)
def test_functions_that_cannot_be_called_are_refused(tmp_path, module, spec, message):
    with pytest.raises(UsageError, match=message):
        load("systems", request(tmp_path, spec.format(module))).check()


def test_an_async_function_that_blocks_ends_at_the_time_out(tmp_path, module):
    (outcome,) = searched(tmp_path, f"python:{module}:later", "slow", timeout_s=0.05)
    assert outcome.kind == "timeout"
