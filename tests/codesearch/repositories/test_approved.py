import pytest

from tellapart.codesearch.repositories import OutOfBounds, Repositories


@pytest.fixture
def place(tmp_path):
    """Two approved repositories, one that is not, and ways out of the first."""
    for path, text in (
        ("aero/lib/pins.py", "def pins(): ...\n"),
        ("aero/.git/config", "PLANTED"),
        ("aero/.env", "PLANTED"),
        ("aero/sub/.git", "gitdir: PLANTED"),
        ("tack/feed.py", "feed\n"),
        ("other/private.py", "PLANTED"),
        ("outside.py", "PLANTED"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    aero = tmp_path / "aero"
    (aero / "out.py").symlink_to(tmp_path / "outside.py")
    (aero / "up").symlink_to(tmp_path)
    (aero / "lib" / "again.py").symlink_to("pins.py")
    (aero / "neighbour").symlink_to(tmp_path / "tack")
    (aero / "nowhere.py").symlink_to("gone.py")
    (aero / "loop").symlink_to("loop")
    return tmp_path


@pytest.fixture
def repositories(place):
    return Repositories.open(place, ["tack", "aero"])


def refused(repositories, path):
    """What both ways of asking say, which must not differ in whether."""
    with pytest.raises(OutOfBounds) as read:
        repositories.read_bytes(path)
    with pytest.raises(OutOfBounds):
        repositories.locate(path)
    assert "PLANTED" not in str(read.value)
    return str(read.value)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "~/secret",
        "..",
        "../outside.py",
        "aero/../outside.py",
        "aero\\lib\\pins.py",
        "aero/lib/pins.py\0.txt",
        "other/private.py",
        "AERO/lib/pins.py",
        "aero/lib/pins.py.",
        "aero/li\u200bb/pins.py",
        "aero/lib/a\nb",
        "aero/" + "x" * 1000,
    ],
)
def test_a_path_that_is_not_repo_and_path_is_refused(repositories, path):
    assert "may not be read" in refused(repositories, path)


@pytest.mark.parametrize(
    "path",
    [
        "aero/.git",
        "aero/.git/config",
        "aero/.GIT/config",
        "aero/.g\u200cit/config",
        "aero/.git./config",
        "aero/sub/.git",
        "aero/deep/er/.git/hooks/pre-commit",
        "aero/.aws/credentials",
    ],
)
def test_version_control_and_keys_are_never_entered_whatever_the_case(repositories, path):
    assert "may not be read" in refused(repositories, path)


@pytest.mark.parametrize("name", [".env", "prod.env", "tls.KEY", "secrets.yml"])
@pytest.mark.parametrize("there", [True, False])
def test_secrets_are_refused_whether_they_are_there_or_not(repositories, place, name, there):
    if there:
        (place / "aero/conf" / name).parent.mkdir(parents=True)
        (place / "aero/conf" / name).write_text("PLANTED")
    message = refused(repositories, f"aero/conf/{name}")
    assert "Go on without it" in message
    assert f"aero/conf/{name}" not in set(repositories.files())


@pytest.mark.parametrize(
    "path",
    ["aero/out.py", "aero/up/other/private.py", "aero/lib/again.py", "aero/neighbour/feed.py", "aero/loop"],
)
def test_no_link_is_followed(repositories, path):
    assert "symbolic link" in refused(repositories, path)
    assert repositories.find(path) == (path, "outside")
