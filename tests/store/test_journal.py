from tellapart.store import Journal


def test_keeps_what_was_appended(tmp_path):
    Journal(tmp_path / "j").append({"step": "one"})
    journal = Journal(tmp_path / "j")
    journal.append({"step": "two"})
    assert [entry["step"] for entry in Journal(tmp_path / "j").entries] == ["one", "two"]


def test_a_line_cut_off_by_a_crash_is_dropped_and_overwritten(tmp_path):
    file = tmp_path / "j"
    Journal(file).append({"step": "one"})
    whole = file.read_bytes()
    for length in range(1, 14):
        file.write_bytes(whole + b'{"step":"two"}'[:length])
        journal = Journal(file)
        assert journal.entries == [{"step": "one"}]
        journal.append({"step": "three"})
        assert file.read_bytes() == whole + b'{"step":"three"}\n'
