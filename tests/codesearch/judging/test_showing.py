import pytest

from codesearch.judging.judged import make_repositories
from tellapart.codesearch.judging.relevance import LONGEST_FILE, Shown, show
from tellapart.codesearch.model import Failed


@pytest.fixture
def repositories(tmp_path):
    texts = {"shop/small.py": "a = 1\nb = 2\n", "shop/empty.py": "", "other/x.py": "x"}
    odd = {"shop/latin.py": "# caf\xe9\n".encode("latin-1"), "shop/logo.png": b"\x89PNG\r\n\0\0"}
    withheld = {"shop/.env": "PASSWORD=1", "shop/.git/config": "[core]"}
    return make_repositories(tmp_path, texts | odd | withheld)


def test_a_long_file_is_cut_at_the_end_of_a_line(repositories):
    place = repositories.root / "shop" / "long.py"
    place.write_text("0123456789\n" * 2000)
    found = show(repositories, "shop/long.py")
    # 727 lines of 11 characters are 7,997; the last line end is not shown.
    assert found.text == "0123456789\n" * 726 + "0123456789"
    assert found.extent == "the first 7,996 characters of its contents of 22,000 bytes"
    place.write_text("é" * LONGEST_FILE)
    assert show(repositories, "shop/long.py") == Shown("shop/long.py", "its contents", "é" * LONGEST_FILE)
    place.write_text("😀" * (LONGEST_FILE + 1))
    found = show(repositories, "shop/long.py")
    assert (found.text, found.extent) == (
        "😀" * LONGEST_FILE,
        "the first 8,000 characters of its contents of 32,004 bytes",
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("shop/gone.py", "there is no file 'shop/gone.py'"),
        ("shop/lib", "'shop/lib' is a directory"),
        ("shop/logo.png", "the file is not text"),
        ("shop/.env", "may not be read"),
        ("shop/.git/config", "may not be read"),
        ("shop/../other/x.py", "may not be read"),
        ("/etc/passwd", "may not be read"),
        ("bank/x.py", "may not be read"),
    ],
)
def test_what_cannot_be_shown_has_no_verdict(repositories, path, why):
    (repositories.root / "shop" / "lib").mkdir()
    found = show(repositories, path)
    assert isinstance(found, Failed)
    there = "may not be read" in why or "not text" in why
    kind = "withheld" if path.endswith(".env") else "unreadable" if there else "not_there"
    assert (found.cause, found.kind) == ("infeasible", kind)
    assert why in found.detail
