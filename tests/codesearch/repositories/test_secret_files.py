"""Which files are withheld, by name and by content; every secret here is made up at random."""

import base64
import random
import string

import pytest

from tellapart.codesearch.explorers.claude_code import Mirror
from tellapart.codesearch.explorers.repository_tools import Readable, read_lines, search_lines
from tellapart.codesearch.index import take_snapshot
from tellapart.codesearch.judging.relevance import show
from tellapart.codesearch.repositories import Repositories, Withheld, secret_by_content


def _drawn(n, letters=string.ascii_letters + string.digits):
    return "".join(random.Random(7 + n).choices(letters, k=n))


BASE32 = string.ascii_uppercase + "234567"
BODY = base64.b64encode(random.Random(1).randbytes(96)).decode()
PEM = "-----BEGIN {} KEY-----\n" + BODY[:64] + "\n" + BODY[64:] + "\n-----END {} KEY-----\n"
CONTENTS = {
    "a private key": [
        PEM.format("PRIVATE", "PRIVATE"),
        PEM.format("OPENSSH PRIVATE", "OPENSSH PRIVATE").replace("\n", "\r\n"),
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n" + BODY,
    ],
    "a token of AWS": [f"key = 'AKIA{_drawn(16, BASE32)}'"],
    "a token of GitHub": [f"token: ghp_{_drawn(36)}", f"github_pat_{_drawn(82)}"],
    "a token of Slack": [f"xoxb-{_drawn(12, '123456789')}-{_drawn(24)}"],
    "a token of OpenAI": [f"sk-proj-{_drawn(60)}"],
    "a token of Anthropic": [f"sk-ant-api03-{_drawn(95)}"],
    "a token of npm": [f"npm_{_drawn(36)}"],
    "a token of PyPI": [f"pypi-AgEIcHlwaS5vcmc{_drawn(90)}"],
}
HARMLESS = [
    "AKIAIOSFODNN7EXAMPLE",
    "if line.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n    return base64.b64decode(line)",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----\n",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_" + "a" * 36,
    "re.compile(r'gh[pousr]_[A-Za-z0-9]{36}') npm_config_registry xoxb-your-token sk_live_... sk-proj-KEY",
]


def test_contents_are_judged_by_the_forms_of_keys_and_tokens():
    for what, texts in CONTENTS.items():
        for text in texts:
            assert secret_by_content(f"a line\n{text}\nanother\n".encode()) == what, text
    assert [text for text in HARMLESS if secret_by_content(text.encode())] == []


@pytest.fixture
def repositories(tmp_path):
    for path, text in {
        "shop/cart.py": "total = 1\n",
        "shop/ci/deploy.txt": PEM.format("PRIVATE", "PRIVATE"),
        "shop/.env": "PASSWORD=PLANTED",
        "shop/docs/keys.md": HARMLESS[1],
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return Repositories.open(tmp_path, ["shop"])


def test_a_secret_reaches_nobody_whatever_its_name(repositories):
    open_to_all = ["shop/cart.py", "shop/docs/keys.md"]
    snapshot = take_snapshot(repositories)
    assert [file.path for file in snapshot.files] == open_to_all
    assert snapshot.withheld == {"is called like a secret": 1, "holds a private key": 1}
    mirror = Mirror(repositories)
    copies = sorted(f"{path.relative_to(mirror.root)}" for path in mirror.root.rglob("*") if path.is_file())
    assert copies == open_to_all
    readable = Readable.of(repositories)
    assert "Not searched: 1 file" in search_lines(readable, "PLANTED|MII|KEY-----$")
    for path, why in (
        ("shop/ci/deploy.txt", "holds a private key"),
        ("shop/.env", "is called like a secret"),
    ):
        with pytest.raises(Withheld, match=why) as refused:
            read_lines(readable, path)
        assert refused.value.why == why
        assert show(repositories, path).kind == "withheld"
        assert repositories.holds(path)
