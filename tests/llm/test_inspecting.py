import gc
import logging
import os

import pytest

from tellapart.llm.connection import connect
from tellapart.llm.inspecting import run_workers, tidy_logs
from tellapart.llm.models import LanguageModel
from tellapart.offline import respond

respond("silent")(lambda prompt: "")


@pytest.fixture
def run(tmp_path):
    connected, _ = connect(LanguageModel("offline/silent"), max_connections=3)

    def run(work, samples=1):
        run_workers(work, samples=samples, at_once=3, connected=connected, logs=tmp_path / "logs")

    return run


def test_work_is_done_once_a_sample_and_no_more_than_allowed_at_a_time(run):
    import anyio

    under_way, most, done = 0, 0, 0

    async def work():
        nonlocal under_way, most, done
        under_way += 1
        most = max(most, under_way)
        await anyio.sleep(0.01)
        under_way -= 1
        done += 1

    run(work, samples=10)
    assert (done, most) == (10, 3)


def test_the_process_is_left_as_it_was(run, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://somebody.example/v1\n")
    monkeypatch.chdir(tmp_path)
    before, frozen = dict(os.environ), gc.get_freeze_count()
    root = logging.getLogger()
    monkeypatch.setattr(root, "level", logging.INFO)
    handlers = list(root.handlers)
    during = []

    async def work():
        assert "somebody" not in os.environ.get("OPENAI_BASE_URL", "")
        during.append((os.environ["XDG_DATA_HOME"], gc.get_freeze_count()))
        # As Inspect does when it is first used in a process.
        root.setLevel(logging.CRITICAL)
        root.addHandler(logging.NullHandler())

    run(work)
    assert (dict(os.environ), gc.get_freeze_count()) == (before, frozen)
    assert (root.level, root.handlers) == (logging.INFO, handlers)
    place, count = during[0]
    assert place != "/somewhere"
    assert not os.path.exists(place)  # noqa: PTH110
    assert count > frozen


def test_what_inspect_had_begun_to_write_is_removed(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    kept = "2026-11-26T23-07-23-00-00_questions_4ckAMoiKoaWvhZHjLZm6k9.eval"
    for name in (".inspect_tmp_-rIFC04y4Q8.writing", "SkpzeMEdDoXjtKX7t24K2J", kept):
        (logs / name).touch()
    tidy_logs(logs)
    assert [path.name for path in logs.iterdir()] == [kept]
    tidy_logs(tmp_path / "none")
