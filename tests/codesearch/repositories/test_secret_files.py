"""Which files are withheld, by name and by content; every secret here is made up at random."""

import base64
import json
import os
import random
import string

import pytest

from tellapart.codesearch.explorers.claude_code import Mirror
from tellapart.codesearch.explorers.line_search import Readable
from tellapart.codesearch.explorers.repository_tools import read_lines, search_lines
from tellapart.codesearch.index.snapshot import take_snapshot
from tellapart.codesearch.judging.prompts import show
from tellapart.codesearch.repositories import Repositories, Withheld
from tellapart.codesearch.secret_files import secret_by_content, secret_by_name

SECRETS = {
    "holds the environment of a program": """
        .env .ENV .flaskenv .env.local .env.example .envrc .env.ts prod.env prod.env.bak staging.env~ env
        env.production env-prod production_env dotenv env.json""",
    "is a key": """
        server.pem server.pem.bak tls.KEY app.p12 store.jks vault.kdbx id_rsa my_id_rsa id_rsa-ci
        id_ed25519.old
        deploy_key deploy-key ssh_host_rsa_key private-key.txt apiKeys.yaml api_keys.json github-token.txt
        access_tokens.json .vault_token""",
    "holds the passwords of a tool": """
        .netrc _netrc pgpass.conf .netrc.bak dot_netrc .npmrc .pypirc~ .htpasswd .pgpass
        .boto .s3cfg .git-credentials
        .git-credentials~ .git-credentials.old""",
    "holds credentials": """
        credentials credentials.json5 credentials.yml.enc credentials.json.gz secret.yaml.bak2
        secrets.properties.j2 passwords.xlsx secrets.zip s\u0435crets.yml
        credentials.yml credentials.json.bak
        .credentials.json.swp aws_credentials.csv
        aws-credentials_2024.csv secrets.yml secrets-prod.yml secret.yaml passwords.txt db-password.txt
        clientSecret.json client_secret_1.apps.json service_account.json service-account.json
        gcp-service-account.json serviceAccountKey.json x-firebase-adminsdk-a1.json \uff53ecrets.yml""",
    "holds the state or the variables of Terraform": """
        terraform.tfstate.backup prod.tfvars x.auto.tfvars.json""",
    "gives access to a cluster": "kubeconfig kubeconfig-prod.yaml admin.kubeconfig kube-config.yml",
    "configures a deployment": """
        application-prod.yml appsettings.Production.json settings.production.toml config.prod.json""",
    "holds what somebody typed": ".bash_history .psql_history",
}
OTHERS = """
        secrets.py secret.ts credentials.go credentials_controller.rb env.py env.d.ts kubeconfig.go
        passwords.php serviceaccount.yaml service_account.py tokens.json tokenizer.json
        special_tokens_map.json public_keys.json foreign_keys.csv primary_key.txt keyboard.json keys.ts
        monkey.json settings.json application.yml config.yaml docker-compose.prod.yml values.yaml
        production.rb secrets.md environment.yml secret-scanning.yml history.md main.tf .gitignore
        my_id_rsa.py rapid_dsa.go solid_rsaw.txt sources.zip secrets.html.j2 passwords.html.erb
        \u0441\u0435\u043a\u0440\u0435\u0442.yml
        .eslintrc.json .yarnrc LICENSE.txt Makefile"""


def test_names_are_judged_by_their_words():
    for why, names in SECRETS.items():
        for name in names.split():
            # A key in the name goes before the tool or the account that it is of.
            assert secret_by_name(name) in (why, "is a key"), name
    assert [name for name in OTHERS.split() if secret_by_name(name)] == []


def _drawn(n, letters=string.ascii_letters + string.digits, seed=7):
    return "".join(random.Random(seed + n).choices(letters, k=n))


BASE32, HEX = string.ascii_uppercase + "234567", "0123456789abcdef"
BODY = base64.b64encode(random.Random(1).randbytes(96)).decode()
PEM = "-----BEGIN {} KEY-----\n" + BODY[:64] + "\n" + BODY[64:] + "\n-----END {} KEY-----\n"
CONTENTS = {
    "a private key": [
        PEM.format("PRIVATE", "PRIVATE"),
        PEM.format("ENCRYPTED PRIVATE", "ENCRYPTED PRIVATE"),
        PEM.format("OPENSSH PRIVATE", "OPENSSH PRIVATE").replace("\n", "\r\n"),
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n" + BODY,
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + BODY,
        json.dumps({"type": "service_account", "private_key": PEM.format("PRIVATE", "PRIVATE")}),
        f'KEY = "{PEM.format("EC PRIVATE", "EC PRIVATE")}"'.encode("utf-16").decode("utf-16"),
        f'"private_key": "{BODY}"',
        "-----BEGIN PRIVATE KEY-----\n" + "\n".join(BODY[at : at + 32] for at in range(0, 128, 32)) + "\n",
        f"users:\n- user:\n    client-key-data: {BODY}",
        f"AGE-SECRET-KEY-1{_drawn(58, string.ascii_uppercase + string.digits)}",
    ],
    "a token of AWS": [
        f"key = 'AKIA{_drawn(16, BASE32)}'",
        f"aws_secret_access_key = {BODY[:40]}",
        f'SecretAccessKey: "{BODY[:40]}"',
        f'"SecretAccessKey": 1, awsSecretAccessKey: "{BODY[:40]}"',
    ],
    "a token of Google": [f"AIza{_drawn(35)}", f"GOCSPX-{_drawn(28)}"],
    "a token of Azure": [f"AccountKey={BODY[:86]}==;", f"abc8Q~{_drawn(34)}"],
    "a token of GitHub": [f"token: ghp_{_drawn(36)}", f"ghs_{_drawn(36)}", f"github_pat_{_drawn(82)}"],
    "a token of Slack": [
        f"xoxb-{_drawn(12, '123456789')}-{_drawn(24)}",
        f"https://hooks.slack.com/services/T{_drawn(9, BASE32)}/B{_drawn(9, BASE32)}/{_drawn(24)}",
    ],
    "a token of Stripe": [f"sk_live_{_drawn(24)}", f"rk_live_{_drawn(99)}"],
    "a token of OpenAI": [f"sk-proj-{_drawn(60)}", f"sk-{_drawn(20)}T3BlbkFJ{_drawn(20, seed=9)}"],
    "a token of Anthropic": [f"sk-ant-api03-{_drawn(95)}"],
    "a token of npm": [f"npm_{_drawn(36)}", f"//registry.npmjs.org/:_authToken={_drawn(40)}"],
    "a token of PyPI": [f"pypi-AgEIcHlwaS5vcmc{_drawn(90)}"],
    "a token of Vault": [f"hvs.{_drawn(95)}"],
    "a token of a registry": ['{"auths": {"r.io": {"auth": "' + BODY[:24] + '"}}}'],
}
HARMLESS = [
    "-----BEGIN PRIVATE KEY-----\nfirst_line_of_the_key\nsecondlineofthekeyhere\n",
    f"SecretAccessKey: {BODY[:44]}",
    "AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "if line.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n    return base64.b64decode(line)",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCEXAMPLExxxxxxxxxxxxxxxxxx\n",
    "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----\n",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ghp_" + "a" * 36,
    "re.compile(r'gh[pousr]_[A-Za-z0-9]{36}') npm_config_registry xoxb-your-token sk_live_... sk-proj-KEY",
    "AKIAXXXXXXXXXXXXXXXX AKIA1234567890123456 AIzaSy" + "0" * 33,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    json.dumps({"private_key": "path/to/key.pem", "auth": "none", "auths": {}}),
]


def test_contents_are_judged_by_the_forms_of_keys_and_tokens():
    for what, texts in CONTENTS.items():
        for text in texts:
            assert secret_by_content(f"a line\n{text}\nanother\n".encode()) == what, text
    assert secret_by_content(CONTENTS["a private key"][0].encode("utf-16")) == "a private key"
    for encoding in ("utf-16-le", "utf-16-be"):
        assert secret_by_content(CONTENTS["a private key"][0].encode(encoding)) == "a private key"
    assert [text for text in HARMLESS if secret_by_content(text.encode())] == []


@pytest.fixture
def repositories(tmp_path):
    for path, text in {
        "shop/cart.py": "total = 1\n",
        "shop/ci/deploy.txt": PEM.format("PRIVATE", "PRIVATE"),
        "shop/.env": "PASSWORD=PLANTED",
        "shop/docs/keys.md": HARMLESS[2],
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    os.link(tmp_path / "shop/.env", tmp_path / "shop/settings.txt")
    os.link(tmp_path / "shop/cart.py", tmp_path / "shop/basket.py")
    return Repositories.open(tmp_path, ["shop"])


def test_a_secret_reaches_nobody_whatever_its_name(repositories):
    open_to_all = ["shop/basket.py", "shop/cart.py", "shop/docs/keys.md"]
    snapshot = take_snapshot(repositories)
    assert [file.path for file in snapshot.files] == open_to_all
    assert snapshot.withheld == {
        "holds the environment of a program": 1,
        "holds a private key": 1,
        "is another name of a file that is withheld": 1,
    }
    mirror = Mirror(repositories)
    copies = sorted(f"{path.relative_to(mirror.root)}" for path in mirror.root.rglob("*") if path.is_file())
    assert copies == open_to_all
    readable = Readable.of(repositories)
    assert "Not searched: 2 files" in search_lines(readable, "PLANTED|MII|KEY-----$")
    for path, why in (
        ("shop/ci/deploy.txt", "holds a private key"),
        ("shop/settings.txt", "is another name of a file that is withheld"),
        ("shop/.env", "holds the environment of a program"),
    ):
        with pytest.raises(Withheld, match=why) as refused:
            read_lines(readable, path)
        assert refused.value.why == why
        assert show(repositories, path).kind == "withheld"
        assert repositories.holds(path)
