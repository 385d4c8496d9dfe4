import pytest

from tellapart.codesearch.reading.paths import normalised, path_list
from tellapart.errors import InputError

APPROVED = ("aero", "tack")


@pytest.mark.parametrize(
    "path",
    [
        "aero/app/x.rb",
        "./aero/app/x.rb",
        "aero//app/x.rb",
        "aero\\app\\x.rb",
        "  aero/app/x.rb\n",
    ],
)
def test_harmless_ways_of_writing_a_path_are_mended(path):
    assert normalised(path, APPROVED) == "aero/app/x.rb"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("aero/../tack/x.rb", "climbs with '..', expected repo/path/to/file"),
        ("..\\aero\\x.rb", "climbs with '..'"),
        ("/srv/x.rb", "is absolute"),
        ("~/aero/x.rb", "is absolute"),
        ("C:\\git\\x.rb", "is absolute"),
        ("\\\\server\\aero\\x.rb", "is absolute"),
        ("https://example.org/aero/x.rb", "is an address"),
        ("", "the path is '', expected"),
        ("aero", "names no file in a repository"),
        ("aero/app/", "names a directory"),
        ("aero/x.rb:12", "ends in the number of a line, expected the file alone. Lines have a field of"),
        ("aero/a\tb.rb", "'aero/a\\tb.rb' has a control character"),
        ("aero/\ud83d.rb", "has a control character or half of one"),
        ("aero/my\\ notes.rb", "a backslash that separates nothing"),
    ],
)
def test_what_names_no_file_in_a_repository_is_refused(path, why):
    with pytest.raises(InputError) as raised:
        normalised(path, APPROVED)
    assert why in str(raised.value)


def test_an_unknown_repository_is_refused_where_the_approved_ones_are_known():
    assert normalised("areo/x.rb") == "areo/x.rb"
    with pytest.raises(InputError, match="'areo', which is not approved. Did you mean 'aero'"):
        normalised("areo/x.rb", APPROVED)
    with pytest.raises(InputError, match="'Tack', which is not approved. Did you mean 'tack'"):
        normalised("x.rb", APPROVED, repo="Tack")


def test_an_absolute_path_through_an_approved_repository_says_what_was_meant():
    for path in ("/home/me/aero/app/x.rb", "C:\\me\\aero\\app\\x.rb"):
        with pytest.raises(InputError, match=r"Was 'aero/app/x\.rb' meant\?$"):
            normalised(path, APPROVED)
    with pytest.raises(InputError, match="expected repo/path/to/file.$"):
        normalised("/home/me/aero", APPROVED)


@pytest.mark.parametrize(
    ("repo", "path", "file"),
    [
        ("aero", "app/x.rb", "aero/app/x.rb"),
        ("aero", "aero/app/x.rb", "aero/app/x.rb"),
        ("aero", "./aero\\app\\x.rb", "aero/app/x.rb"),
        ("aero", "aero/aero/x.rb", "aero/aero/x.rb"),
        ("aero", "tack/x.rb", "aero/tack/x.rb"),
        ("aero", "aerodrome/x.rb", "aero/aerodrome/x.rb"),
        # A file at the top that is named like its repository.
        ("aero", "aero", "aero/aero"),
        ("aero", "x.rb", "aero/x.rb"),
        (None, "aero/x.rb", "aero/x.rb"),
        ("", "aero/x.rb", "aero/x.rb"),
    ],
)
def test_a_repository_beside_the_path(repo, path, file):
    assert normalised(path, APPROVED, repo=repo) == file


def test_a_list_keeps_the_first_of_each_file_and_says_what_it_did():
    found = path_list(
        [("aero", "aero/x.rb"), (None, "tack/y.rb"), ("aero", "./x.rb"), (None, "aero\\x.rb")], APPROVED
    )
    assert found.files == ("aero/x.rb", "tack/y.rb")
    assert found.by_item == ("aero/x.rb", "tack/y.rb", "aero/x.rb", "aero/x.rb")
    assert found.notes == (
        "mended 2 paths, such as './x.rb' to 'aero/x.rb'",
        "counted 2 paths once that came again",
        "took 1 of 2 paths as beginning with their repository, though the others do not",
    )
