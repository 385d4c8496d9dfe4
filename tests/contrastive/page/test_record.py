import pytest

from contrastive.page.stored_record import run_record, write_record
from tellapart.contrastive.page import load
from tellapart.errors import InputError
from tellapart.store import RunDirectory


def test_a_run_of_another_suite_is_refused(tmp_path):
    run = RunDirectory.open(write_record(tmp_path / "run", record=run_record("bundles")))
    with pytest.raises(InputError, match="this is a run of 'bundles', expected one of 'contrastive'"):
        load(run)
