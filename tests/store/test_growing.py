import pytest

from tellapart.errors import Refused
from tellapart.store.growing import growing, locked


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
    refused = pytest.raises(Refused, match=r"d\.partial: another process is writing this thing\. Wait")
    with growing(tmp_path / "d", "thing"), refused, growing(tmp_path / "d", "thing"):
        pass
    with locked(tmp_path, "other"), pytest.raises(Refused, match="this other"), locked(tmp_path, "other"):
        pass
    with locked(tmp_path, "other"):
        pass
