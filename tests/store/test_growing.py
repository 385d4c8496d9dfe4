import pytest

from tellapart.errors import InUse
from tellapart.store.growing import filling, growing, locked


def test_a_directory_takes_its_name_when_it_is_complete(tmp_path):
    with growing(tmp_path / "deep" / "d", "thing") as partial:
        assert partial == tmp_path / "deep" / "d.partial"
        (partial / "file").write_text("text")
        assert not (tmp_path / "deep" / "d").exists()
    assert [path.name for path in (tmp_path / "deep" / "d").iterdir()] == ["file"]
    assert not partial.exists()


def test_what_an_interrupted_one_holds_is_there_again(tmp_path):
    with pytest.raises(KeyboardInterrupt), growing(tmp_path / "d", "thing") as partial:
        (partial / "file").write_text("text")
        raise KeyboardInterrupt
    assert not (tmp_path / "d").exists()
    with growing(tmp_path / "d", "thing") as partial:
        assert (partial / "file").read_text() == "text"
    assert (tmp_path / "d" / "file").exists()


def test_only_one_writes_at_a_time(tmp_path):
    refused = pytest.raises(InUse, match=r"d\.partial: another process is writing this thing\. Wait")
    with growing(tmp_path / "d", "thing"), refused, growing(tmp_path / "d", "thing"):
        pass
    with locked(tmp_path, "other"), pytest.raises(InUse, match="this other"), locked(tmp_path, "other"):
        pass
    with locked(tmp_path, "other"):
        pass


def test_temporary_files_of_killed_writes_are_removed_before_and_at_the_end(tmp_path):
    partial = tmp_path / "d.partial"
    (partial / "artifacts").mkdir(parents=True)
    (partial / "artifacts" / ".tellapart-a.tmp").touch()
    with growing(tmp_path / "d", "thing"):
        assert list((partial / "artifacts").iterdir()) == []
        (partial / ".tellapart-b.tmp").touch()
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["artifacts"]


def test_what_is_filled_from_the_beginning_holds_nothing_of_an_interrupted_process(tmp_path):
    (tmp_path / ".d.new" / "deep").mkdir(parents=True)
    (tmp_path / ".d.new" / "old").touch()
    with filling(tmp_path / "d", "thing") as directory:
        (directory / "file").touch()
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["file"]
    with pytest.raises(RuntimeError), filling(tmp_path / "e", "thing") as directory:
        (directory / "file").touch()
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["d"]
