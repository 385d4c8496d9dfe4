"""Which files hold secrets, by their names and by what is in them; such a file is withheld as a whole.

Names are judged by rules over their words, so that ``service-account.json``, ``serviceAccount.json`` and
``service_account.json.bak`` are the same. Contents are judged by forms that keys and tokens have and other
text has not: a header that code mentions is no key, and a token of few different characters is a placeholder.

Source: the forms of tokens are those that their issuers publish. The detectors of Yelp's detect-secrets
(Apache-2.0, 1.5.0) cover the same forms; it reads line by line in Python, flags a header without a key, and
guesses by entropy, which would withhold source code as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from math import log2

_BACKUPS = ("bak", "backup", "old", "orig", "save", "saved", "copy", "swp", "swo", "tmp", "disabled", "rej")
_EXAMPLES = ("example", "sample", "template", "tmpl", "tpl", "dist")
_DATA = frozenset(
    {
        "json",
        "json5",
        "yml",
        "yaml",
        "toml",
        "ini",
        "cfg",
        "conf",
        "config",
        "xml",
        "csv",
        "tsv",
        "properties",
    }
    | {"enc", "txt", "plist", "p12", "db", "sqlite", "hcl", "list", "lst", "log", "dat", "asc", "b64"}
)
"""Ends of the names of files that hold data; those of source code and of prose are no such."""

_STAGES = frozenset({"prod", "production", "live", "staging", "stage", "preprod"})
_ANY_STAGE = _STAGES | {"dev", "development", "local", "qa", "uat", "test", "ci", "docker", "shared"}
_SETTINGS = frozenset({"application", "appsettings", "settings", "app", "bootstrap", "config"})

_SECRET_WORDS = frozenset(
    {"credential", "credentials", "creds", "secret", "secrets", "password", "passwords", "passwd"}
    | {"passphrase", "passphrases", "htpasswd"}
)
_OF_KEYS = frozenset(
    {"api", "private", "secret", "access", "deploy", "deployment", "ssh", "signing", "encryption", "host"}
    | {"master", "auth", "oauth", "refresh", "bearer", "vault", "bot", "personal", "session", "admin"}
    | {"service", "account", "aws", "gcp", "gcloud", "google", "azure", "firebase", "github", "gitlab"}
    | {
        "rsa",
        "dsa",
        "ecdsa",
        "npm",
        "pypi",
        "slack",
        "stripe",
        "openai",
        "anthropic",
        "license",
        "server",
        "client",
        "tls",
        "ssl",
    }
)
"""Words before ``key`` and ``token`` that make a secret of these."""

_KEY_ENDS = frozenset(
    {"pem", "key", "p8", "p12", "pfx", "ppk", "jks", "jceks", "bks", "keystore", "truststore", "kdb", "kdbx"}
    | {"gpg", "pkcs12", "keytab", "agekey", "ovpn", "keychain", "pkcs8"}
)
_SSH = re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519)")
_TOOLS = frozenset(
    {
        "netrc",
        "npmrc",
        "yarnrc.yml",
        "pypirc",
        "htpasswd",
        "pgpass",
        "my.cnf",
        "mylogin.cnf",
        "git-credentials",
    }
    | {"dockercfg", "dockerconfigjson", "boto", "s3cfg", "vault-token", "terraformrc", "authinfo", "msmtprc"}
    | {
        "fetchmailrc",
        "ldaprc",
        "rclone.conf",
        "databrickscfg",
        "snowsql",
        "gem-credentials",
        "pgservice.conf",
    }
)
"""Files in which tools keep passwords, without the dot in front."""

_ENVIRONMENT = "holds the environment of a program"
_KEY = "is a key"
_TOOL = "holds the passwords of a tool"
_CREDENTIALS = "holds credentials"
_DEPLOYED = "configures a deployment"
_STATE = "holds the state or the variables of Terraform"
_CLUSTER = "gives access to a cluster"
_HISTORY = "holds what somebody typed"

LINK = "is another name of a file that is withheld"
"""Why a hard link is withheld."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def plain(name: str) -> str:
    """A name as a file system would take it that does not tell apart case, width and what prints nothing."""
    return _visible(name).casefold().rstrip(". ")


def _visible(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")


def secret_by_name(name: str) -> str | None:
    """Why a file of this name holds secrets, as a verb and its object, or None.

    Examples and backups count as what they are examples and backups of: what people copy there is often no
    example. Source code and prose of such a name, secrets.py, is none.

    Args:
        name: The last part of a path; case, full-width letters, characters that print nothing, and dots or
            spaces at the end make no difference.
    """
    shown = _visible(name).rstrip(". ")
    whole = shown.casefold()
    if whole.startswith(".env"):
        return _ENVIRONMENT
    stem = _without_backups(whole)
    parts = [part for part in stem.split(".") if part]
    if not parts:
        return None
    end = parts[-1] if len(parts) > 1 else ""
    # The spelling decides where a word ends, and the stem how many of its letters count.
    words = [
        word.casefold() for word in _WORD.findall(shown[whole.index(stem) : whole.index(stem) + len(stem)])
    ]
    for why, rule in _RULES:
        if rule(stem, parts, end, words):
            return why
    return None


def _without_backups(name: str) -> str:
    while True:
        shorter = name.removesuffix("~").removeprefix("#").removesuffix("#")
        head, dot, last = shorter.rpartition(".")
        if dot and head.strip(".") and (last in (*_BACKUPS, *_EXAMPLES) or last.isdecimal()):
            shorter = head
        if shorter == name or not shorter:
            return name
        name = shorter


def _is_environment(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    of_stages = {"env", "dotenv"} & {*words} and {*words} <= _ANY_STAGE | {"env", "dotenv", "file"}
    # Of ``env.production`` the end is no form of a file, but a stage.
    named = "env" in parts and (end in _DATA | _ANY_STAGE | {"env", ""} or parts[-1] == "env")
    return named or bool(of_stages and end in _DATA | _ANY_STAGE | {""})


def _is_key(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    if end in _KEY_ENDS or _SSH.match(stem):
        return True
    pairs = {"apikey", "apikeys", "privatekey", "secretkey", "sshkey"} & {*words}
    pairs |= {b for a, b in zip(words, words[1:], strict=False) if a in _OF_KEYS and b in _KEYS_AND_TOKENS}
    return bool(pairs) and end in _DATA | _ANY_STAGE | {""}


_KEYS_AND_TOKENS = frozenset({"key", "keys", "token", "tokens"})


def _is_tools(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    bare = stem.removeprefix("dot_").lstrip("._")
    return bare in _TOOLS and (stem != bare or "." not in bare or bare in {"my.cnf", "rclone.conf"})


def _is_credentials(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    if end not in _DATA | _ANY_STAGE | {""}:
        return False
    kept = words[: -1 if end in _DATA and words and words[-1] == end else None]
    while kept and (kept[-1].isdecimal() or kept[-1] in _ANY_STAGE or kept[-1] in (*_BACKUPS, *_EXAMPLES)):
        kept = kept[:-1]
    adjacent = set(zip(words, words[1:], strict=False))
    google = {
        ("service", "account"),
        ("service", "accounts"),
        ("firebase", "adminsdk"),
        ("firebase", "admin"),
    }
    return (
        bool(kept and kept[-1] in _SECRET_WORDS)
        or ("client", "secret") in adjacent
        # The manifests of clusters that are called so hold no secret.
        or (end == "json" and bool(google & adjacent or "serviceaccount" in words))
    )


def _is_state(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    return bool({"tfstate", "tfvars"} & {*parts})


def _is_cluster(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    named = "kubeconfig" in words or ("kube", "config") in zip(words, words[1:], strict=False)
    return named and end in _DATA | _ANY_STAGE | {"", "kubeconfig"}


def _is_deployed(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    if end not in _DATA - {"txt", "csv", "tsv", "log", "list", "lst"}:
        return False
    kept = {*words} - {end}
    return bool(kept & _STAGES and kept & _SETTINGS and kept <= _STAGES | _SETTINGS | {"local"})


def _is_history(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    return stem.startswith(".") and stem.endswith("history")


_RULES = (
    (_ENVIRONMENT, _is_environment),
    (_KEY, _is_key),
    (_TOOL, _is_tools),
    (_CREDENTIALS, _is_credentials),
    (_STATE, _is_state),
    (_CLUSTER, _is_cluster),
    (_DEPLOYED, _is_deployed),
    (_HISTORY, _is_history),
)

_B64 = rb"[A-Za-z0-9+/]"
_FORMS: tuple[tuple[str, bytes | tuple[bytes, ...], bytes], ...] = (
    # A kind, letters without which there is none, and the form; its group is what must look random.
    (
        "a private key",
        b"PRIVATE KEY",
        # Between the header and the key there may be lines such as Proc-Type; a string has its own line ends.
        rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        rb"(?:(?:(?!-----)[^\0]){0,300}?[^A-Za-z0-9+/])?(" + _B64 + rb"{40,})",
    ),
    ("a private key", b"PuTTY-User-Key-File-", rb"PuTTY-User-Key-File-\d[^\0]{0,4000}?Private-Lines: \d+()"),
    ("a private key", b"AGE-SECRET-KEY-1", rb"AGE-SECRET-KEY-1([0-9A-Z]{58})"),
    ("a private key", b'private_key"', rb"\"private_key\"\s*:\s*\"([A-Za-z0-9+/=\\]{40,})"),
    ("a private key", b"client-key-data", rb"client-key-data:\s*[\"']?(" + _B64 + rb"{60,})"),
    ("a token of AWS", b"AKIA", rb"(?<![A-Za-z0-9])AKIA([A-Z2-7]{16})(?![A-Za-z0-9])"),
    ("a token of AWS", b"ASIA", rb"(?<![A-Za-z0-9])ASIA([A-Z2-7]{16})(?![A-Za-z0-9])"),
    (
        "a token of AWS",
        (b"ecret_access", b"ecretAccess", b"ECRET_ACCESS", b"aws_secret", b"AWS_SECRET"),
        rb"(?i:aws_?secret_?(?:access_?)?key(?:_id)?)[\"']?\s*[=:]\s*[\"']?("
        + _B64
        + rb"{40})(?![A-Za-z0-9+/=])",
    ),
    ("a token of Google", b"AIza", rb"(?<![\w-])AIza([\w-]{35})(?![\w-])"),
    ("a token of Google", b"GOCSPX-", rb"GOCSPX-([\w-]{28})(?![\w-])"),
    ("a token of Google", b"ya29.", rb"(?<![\w.])ya29\.([\w-]{40,})"),
    ("a token of Azure", b"AccountKey=", rb"AccountKey=(" + _B64 + rb"{86})=="),
    ("a token of Azure", b"SharedAccessKey=", rb"SharedAccessKey=(" + _B64 + rb"{43})="),
    ("a token of Azure", b"8Q~", rb"(?<![\w~.-])([A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})(?![\w~-])"),
    (
        "a token of GitHub",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        rb"(?<![A-Za-z0-9])gh[pousr]_([A-Za-z0-9]{36,})",
    ),
    ("a token of GitHub", b"github_pat_", rb"github_pat_(\w{50,})"),
    ("a token of GitLab", b"glpat-", rb"(?<![A-Za-z0-9])glpat-([\w-]{20,})"),
    (
        "a token of Slack",
        (b"xoxb-", b"xoxp-", b"xoxa-", b"xoxe-", b"xoxo-", b"xoxr-", b"xoxs-"),
        rb"(?<![A-Za-z0-9])xox[abeoprs]-(?:\d+-)+([A-Za-z0-9-]{16,})",
    ),
    (
        "a token of Slack",
        b"hooks.slack.com",
        rb"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/([A-Za-z0-9]{20,})",
    ),
    ("a token of Stripe", b"k_live_", rb"(?<![A-Za-z0-9])[sr]k_live_([A-Za-z0-9]{20,})"),
    ("a token of OpenAI", b"T3BlbkFJ", rb"sk-([\w-]*T3BlbkFJ[\w-]{16,})"),
    ("a token of OpenAI", b"sk-proj-", rb"(?<![\w-])sk-proj-([\w-]{40,})"),
    ("a token of Anthropic", b"sk-ant-", rb"(?<![\w-])sk-ant-[a-z]+\d\d-([\w-]{40,})"),
    ("a token of Hugging Face", b"hf_", rb"(?<!\w)hf_([A-Za-z]{34})(?!\w)"),
    ("a token of npm", b"npm_", rb"(?<!\w)npm_([A-Za-z0-9]{36})(?!\w)"),
    (
        "a token of npm",
        b"_authToken",
        rb":_authToken\s*=\s*([0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9+/=_-]{30,})",
    ),
    ("a token of PyPI", b"pypi-AgE", rb"pypi-AgE([\w-]{60,})"),
    ("a token of SendGrid", b"SG.", rb"(?<!\w)SG\.([\w-]{22}\.[\w-]{43})(?![\w-])"),
    ("a token of DigitalOcean", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), rb"(?<!\w)do[opr]_v1_([0-9a-f]{64})"),
    ("a token of Vault", b"hvs.", rb"(?<!\w)hvs\.([\w-]{60,})"),
    (
        "a token of Shopify",
        (b"shpat_", b"shpca_", b"shppa_", b"shpss_"),
        rb"(?<!\w)shp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})(?!\w)",
    ),
    ("a token of Databricks", b"dapi", rb"(?<!\w)dapi([0-9a-f]{32})(?:-\d)?(?!\w)"),
    ("a token of a registry", b'"auths"', rb"\"auth\"\s*:\s*\"([A-Za-z0-9+/]{16,}={0,2})\""),
)
_COMPILED = tuple(
    (kind, letters if isinstance(letters, tuple) else (letters,), re.compile(form))
    for kind, letters, form in _FORMS
)
_ANY_LETTERS = "|".join(
    re.escape(one.decode()) for one in sorted({one for _, letters, _ in _COMPILED for one in letters})
)
_PLACEHOLDER = re.compile(
    rb"example|placeholder|redacted|changeme|dummy|sample|notareal|xxxx|\*\*\*\*|0000000|1234567|abcdefg"
    rb"|qwerty|deadbeef",
    re.IGNORECASE,
)
_LEAST_BITS = 3.0
"""Entropy of a character of what is random; base64 of a key has above 5, hexadecimal digits almost 4."""


def secret_by_content(data: bytes) -> str | None:
    """What secret a file holds, such as ``a private key``, or None.

    Args:
        data: The content; UTF-16 with its mark is read too.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    if not _may_hold_one(data):
        return None
    for kind, letters, form in _COMPILED:
        if any(one in data for one in letters) and any(map(_is_random, form.finditer(data))):
            return kind
    return None


def _may_hold_one(data: bytes) -> bool:
    """Look for the letters of all forms in one pass: 220 MB a second, where one after the other takes 50."""
    import polars as pl

    # Every byte is a character of this encoding, and the letters are the same in it.
    return bool(pl.Series([data.decode("latin-1")]).str.contains(_ANY_LETTERS)[0])


def _is_random(match: re.Match[bytes]) -> bool:
    body = match[1]
    return not body or (_bits(body) >= _LEAST_BITS and not _PLACEHOLDER.search(body))


def _bits(body: bytes) -> float:
    counts = Counter(body).values()
    return -sum(n / len(body) * log2(n / len(body)) for n in counts)
