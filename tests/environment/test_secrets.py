"""Secrets are taken out of texts and nothing else is."""

import json
import subprocess
import sys

import pytest

from tellapart.environment import secrets
from tellapart.environment.secrets import (
    names_secret,
    remember_address,
    remember_secret,
    secrets_of,
    without_known_secrets,
    without_secrets,
    without_secrets_in,
)

KEY = "sk-proj-Zq7Lw2Nf9Tb4Rk8Vd3Hm6Ys1Gc5Px0Wj"
ODD = 'p&s/w+rd=7"\\%é xyz'


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setattr(secrets, "_remembered", set())
    monkeypatch.setattr(sys, "argv", ["tellapart"])
    monkeypatch.setenv("SOME_API_KEY", KEY)
    monkeypatch.setenv("ODD_PASSWORD", ODD)
    return monkeypatch


def test_a_key_is_taken_out_wherever_it_is():
    for text in (KEY, f"{KEY} and {KEY}", f"Bearer {KEY}", f"'{ODD}'"):
        assert without_secrets(f"401: {text} (see the page)").count("(secret)") == text.count(" and ") + 1
    assert without_secrets("not sk-unknownButAKey12345") == "not (secret)"
    assert without_secrets("by AKIAABCDEFGHIJKLMNOP") == "by (secret)"


def test_texts_without_a_secret_stay_as_they_are():
    for text in (
        "",
        "Bearer authentication is required; see https://host/path?page=2&sort=key",
        "git clone ssh://git@github.com/a/b.git",
        "wait... what… **bold** xxxxxxxx",
        "a\0b\udc80",
        json.dumps({"key": "value", "tokens": 12}),
    ):
        assert without_secrets(text) == text


def test_addresses_on_the_command_line_and_remembered_values_are_secret(environment):
    environment.setattr(sys, "argv", ["tellapart", "--base-url", "http://me:hunter%402@host/v1?key=q9w8e7r6"])
    remember_secret("hf_fromAFileOfTheHub1")
    remember_address("http://you:pass-word-77@host")
    text = "hunter@2, hunter%402, q9w8e7r6, hf_fromAFileOfTheHub1, pass-word-77"
    assert without_secrets(text) == ", ".join(["(secret)"] * 5)


def test_words_that_stand_for_no_key_and_files_of_keys_are_not_secret(tmp_path):
    file = tmp_path / "key.pem"
    file.touch()
    words = {"A_KEY": "not-a-key", "B_KEY": "ollama", "C_TOKEN": "1", "D_KEY": str(file)}
    places = {"PWD": "/home/me/work", "HOME": "/home/me", "MODEL_URL": "http://localhost:8000/v1"}
    others = {"GPG_KEY": "A035C8C19219BA821ECEA86B64E628F8D684696D", "MAX_TOKENS": "4096"}
    there = words | places | others | {"SSH_AUTH_SOCK": "/tmp/agent"}
    assert secrets_of(there) == frozenset()
    assert secrets_of({"HTTPS_PROXY": "http://a:secret77@proxy:3128"}) == {"secret77"}


def test_keys_in_lines_in_json_and_in_headers_are_found_line_by_line(environment):
    environment.setenv(
        "DEPLOY_KEY", "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END"
    )
    environment.setenv("CLOUD_CREDENTIALS", '{"private_key_id": "0f1e2d3c4b5a69788796", "type": "x"}')
    environment.setenv("OTEL_HEADERS", "authorization=Bearer 1234567890abcdefgh,x=y")
    text = "MIIEvQIBADANBgkqhkiG9w0B 0f1e2d3c4b5a69788796 1234567890abcdefgh type"
    assert without_known_secrets(text) == "(secret) (secret) (secret) type"


def test_names_of_variables_say_whether_they_hold_a_secret():
    secret = "OPENAI_API_KEY HF_TOKEN aws_secret_access_key AWS_ACCESS_KEY_ID MYSQL_PWD NPM_AUTH PGPASSWORD"
    secret += " GOOGLE_APPLICATION_CREDENTIALS SENTRY_DSN ANTHROPIC_AUTH_TOKEN AZURE_OPENAI_API_KEY MY_APIKEY"
    other = (
        "PATH HOME KEYBOARD TOKENIZERS_PARALLELISM SSH_AUTH_SOCK GIT_ASKPASS XAUTHORITY COMPASS TOKEN_FILE"
    )
    assert [name for name in secret.split() if not names_secret(name)] == []
    assert [name for name in other.split() if names_secret(name)] == []


def test_values_as_json_has_them_are_cleaned_to_the_bottom():
    assert without_secrets_in({"a": [KEY, 1, None, {KEY: f"x{KEY}"}]}) == {
        "a": ["(secret)", 1, None, {"(secret)": "x(secret)"}]
    }


def test_the_module_imports_nothing_that_takes_long():
    code = "import sys, tellapart.environment.secrets; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "asyncio", "pydantic", "http", "ssl"}.isdisjoint(done.stdout.split())


def test_short_passwords_are_taken_out_as_whole_words(environment):
    environment.setenv("QUEUE_PASSWORD", "hunter2")
    environment.setenv("DEPLOY_SECRET", "Tr0ub4dor")
    environment.setenv("VAULT_TOKEN", "s.9aQ!")
    environment.setenv("LONG_PASSPHRASE", "correct-horse-battery")
    text = "hunter2, 'Tr0ub4dor' (s.9aQ!), password=hunter2: correct-horse-battery"
    assert without_secrets(text) == "(secret), '(secret)' ((secret)), password=(secret): (secret)"
    assert without_secrets("hunter22 and ahunter2 and hunter2-b") == "hunter22 and ahunter2 and hunter2-b"
    assert without_secrets_in({"a": ["line\nhunter2"]}) == {"a": ["line\n(secret)"]}


def test_words_numbers_and_dates_of_such_variables_stay_in_texts_and_tables(environment):
    environment.setenv("APP_SECRET", "secret")
    environment.setenv("STAGE_KEY", "Production")
    environment.setenv("NO_KEY", "UNUSED")
    environment.setenv("MAX_TOKENS", "128000")
    environment.setenv("TOKEN_SINCE", "2026-11-29")
    text = "The secret is out: 128000 tokens since 2026-11-29. Production is UNUSED."
    assert without_secrets(text) == text


def test_a_password_that_may_be_a_word_stays_where_it_is_no_part_of_an_address(monkeypatch):
    monkeypatch.setenv("DB_PASSWORD", "postgres")
    assert without_secrets("It is postgres") == "It is postgres"
    assert without_secrets("at postgres://me:pw@host/x") == "at postgres://(secret)@host/x"
