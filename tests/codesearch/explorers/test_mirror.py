import gc
import tempfile

import pytest

from tellapart.codesearch.explorers.claude_code import Mirror
from tellapart.codesearch.repositories import Repositories


@pytest.fixture
def mirror(tmp_path):
    root = tmp_path / "repos"
    for path in (
        "app/lib/a.py",
        "app/.env",
        "app/.git/config",
        "app/deploy.pem",
        "other/b.py",
        "unapproved/c.py",
    ):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"content of {path}\n")
    (root / "app" / "link.py").symlink_to(root / "unapproved" / "c.py")
    made = Mirror(Repositories.open(root, ["app", "other"]))
    return made


@pytest.mark.parametrize(
    "path",
    ["/etc/hostname", "/", "../repos", "app/../../x", "~/.ssh/id_rsa", "a\0b", "/etc/**", "**/../../*"],
)
def test_paths_that_lead_out_are_refused(mirror, path):
    assert "may not be read" in mirror.refusal(path)


def test_what_others_use_is_not_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "app").mkdir()
    mirrors = [Mirror(Repositories.open(tmp_path, ["app"])) for _ in range(2)]
    places = {mirror.root.name for mirror in mirrors}
    assert {path.name for path in tmp_path.iterdir()} == {"app", *places}
    mirrors.clear()
    gc.collect()
    assert {path.name for path in tmp_path.iterdir()} == {"app"}
