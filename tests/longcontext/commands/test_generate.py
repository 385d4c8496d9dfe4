from longcontext.importing.data_sets import longmemeval, written


def test_conversations_of_another_design_in_the_same_directory_are_counted(tellapart, tmp_path):
    made = ("longcontext", "generate", "--out", tmp_path / "exp", "--conversations", "2", "--lengths")
    assert "other conversations" not in tellapart(*made, "1K").err
    assert (
        f"{tmp_path / 'exp'} holds 2 other conversations, which 'run' plays too" in tellapart(*made, "2K").err
    )


def test_cases_of_an_earlier_import_are_counted(tellapart, tmp_path):
    for names, others in ("ab", 0), ("ab", 0), ("cde", 2):
        path = written(tmp_path / "set.json", [longmemeval(question_id=name) for name in names])
        done = tellapart("longcontext", "import", path, "--out", tmp_path / "cases")
        assert done.code == 0, done.err
        warning = f"holds {others} other conversations, which 'run' plays too"
        assert (warning in done.err) == (others > 0)
