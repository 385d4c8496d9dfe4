from longcontext.importing.data_sets import longmemeval, written


def test_what_cannot_be_imported_is_refused(tmp_path, tellapart):
    path = written(tmp_path / "some.json", [longmemeval()])

    def told(*arguments):
        done = tellapart("longcontext", "import", *arguments, "--out", tmp_path / "cases")
        assert done.code == 2
        return done.err

    assert "there is no form 'longmemevel'. Did you mean 'longmemeval'?" in told("longmemevel", path)
    assert "cannot read this file: No such file" in told(tmp_path / "nowhere.json")
    assert "this is a directory, expected a file" in told(tmp_path)
    assert "3 names are given" in told("longmemeval", path, path)
    assert "longmemeval has no use for --lengths" in told(path, "--lengths", "2K")
    other = written(tmp_path / "other.json", [{"a": 1}])
    assert "the form of this data set is not recognised. Name it before the file, one of: " in told(other)
