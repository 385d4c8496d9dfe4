from tellapart.codesearch.evaluation import IN_A_RUN, evaluation_file


def test_an_evaluation_is_named_by_its_file_or_its_run(tmp_path):
    file = tmp_path / "run" / IN_A_RUN
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    assert evaluation_file(file) == evaluation_file(tmp_path / "run") == file
