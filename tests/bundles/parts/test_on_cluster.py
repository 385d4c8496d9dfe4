"""An eval that is scored on a cluster of Ray."""

import pytest

from bundles.parts.killed import FILES, Command, kill_at, write_eval, written_here

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_the_same_bytes_as_here_even_where_a_driver_is_killed(cluster, tmp_path, tellapart):
    write_eval(tmp_path / "eval")
    here = written_here(tmp_path, tellapart)
    command = Command(tmp_path, "--address", cluster.address, engine="ray")
    kill_at(command, tmp_path, FILES + 2)
    files, errors = command.written()
    assert "going on with interrupted work" in errors
    assert files == here
