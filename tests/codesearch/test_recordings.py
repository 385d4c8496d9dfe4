import pytest

from tellapart.codesearch.evaluation import IN_A_RUN, evaluation_file
from tellapart.errors import InputError


def test_an_evaluation_is_named_by_its_file_or_its_run(tmp_path):
    file = tmp_path / "run" / IN_A_RUN
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    assert evaluation_file(file) == evaluation_file(tmp_path / "run") == file


@pytest.mark.parametrize("place", ["gone.json", "empty", "empty/gone"])
def test_where_none_is_the_next_step_is_said(tmp_path, place):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as raised:
        evaluation_file(tmp_path / place)
    assert str(raised.value) == (
        f"{tmp_path / place}: there is no evaluation here. Name an evaluation.json, or a run directory of "
        "'tellapart codesearch evaluate'."
    )
