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
from typing import Any

_COPY = re.compile(r"(?:bak|backup|old|orig|save|copy)\d*|\d+")
_PACKED = frozenset({"gz", "bz2", "xz", "zst", "zip", "tar", "tgz", "7z", "rar"})
_RENDERED = frozenset({"j2", "jinja", "jinja2", "erb", "tpl", "tmpl", "gotmpl", "mustache", "ejs", "in"})
_AROUND = _PACKED | _RENDERED | {"enc", "gpg", "age", "sops"}
"""Ends of packs, of templates and of what is encrypted, behind which a file has its own end."""

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
    | {"xls", "xlsx", "xlsm", "ods", "numbers", "doc", "docx", "odt", "gpg", "age", "sops", "kdbx"}
    | _PACKED
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
_SSH = re.compile(r"(.*[^a-z])?id_(?:rsa|dsa|ecdsa|ed25519)(?![a-z])")
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

_LATIN = re.compile(r"[A-Za-z]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u043a\u043c\u0442"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u03b1\u03b5\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxsijhdqwkmtABEKMHOPCTYXSIJaeopuvikABEHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones, by Unicode's table of confusables (UTS 39)."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def plain(name: str) -> str:
    """A name as a file system would take it that does not tell apart case, width and what prints nothing."""
    return _visible(name).casefold().rstrip(". ")


def _visible(name: str) -> str:
    shown = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    # A word in another script alone is one of that language; mixed with Latin letters, it looks like one.
    return shown if shown.isascii() else _LETTERS.sub(_latin, shown)


def _latin(word: re.Match[str]) -> str:
    return word[0].translate(_LOOKALIKES) if _LATIN.search(word[0]) else word[0]


def secret_by_name(name: str) -> str | None:
    """Why a file of this name holds secrets, as a verb and its object, or None.

    Examples and backups count as what they are examples and backups of: what people copy there is often no
    example. Source code and prose of such a name, secrets.py, is none.
    """
    shown = _visible(name).rstrip(". ")
    whole = shown.casefold()
    if whole.startswith((".env", ".flaskenv")):
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
        aside = last in (*_BACKUPS, *_EXAMPLES) or _COPY.fullmatch(last)
        inner = last in _AROUND and "." in head.strip(".")
        if dot and head.strip(".") and (aside or inner):
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
    ssh = _SSH.match(stem)
    if end in _KEY_ENDS or (ssh and (not ssh[1] or end in _DATA | _ANY_STAGE | {""})):
        return True
    pairs = {"apikey", "apikeys", "privatekey", "secretkey", "sshkey"} & {*words}
    pairs |= {b for a, b in zip(words, words[1:], strict=False) if a in _OF_KEYS and b in _KEYS_AND_TOKENS}
    return bool(pairs) and end in _DATA | _ANY_STAGE | {""}


def _without_end(words: list[str], end: str) -> list[str]:
    """The words in front of an end that tells a form of data, which may be several words: ``json5``."""
    of_end = _WORD.findall(end) if end in _DATA else []
    return words[: len(words) - len(of_end)] if of_end and words[-len(of_end) :] == of_end else words


_KEYS_AND_TOKENS = frozenset({"key", "keys", "token", "tokens"})


def _is_tools(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    bare = stem.removeprefix("dot_").lstrip("._")
    # Where files do not begin with a dot, they have an end instead.
    tool = bare in _TOOLS or (end in {"conf", "ini"} and bare.removesuffix(f".{end}") in _TOOLS)
    return tool and (stem != bare or "." not in bare or end in {"cnf", "conf", "ini"})


def _is_credentials(stem: str, parts: list[str], end: str, words: list[str]) -> bool:
    if end not in _DATA | _ANY_STAGE | {""}:
        return False
    kept = _without_end(words, end)
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
    kept = {*_without_end(words, end)} - {end}
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
_PREFIXED = (
    ("Groq", b"gsk_", rb"[A-Za-z0-9]{48,}"),
    ("xAI", b"xai-", rb"[A-Za-z0-9]{60,}"),
    ("OpenRouter", b"sk-or-v1-", rb"[0-9a-f]{64}"),
    ("Perplexity", b"pplx-", rb"[A-Za-z0-9]{40,}"),
    ("Replicate", b"r8_", rb"[A-Za-z0-9]{37,}"),
    ("NVIDIA", b"nvapi-", rb"[\w-]{60,}"),
    ("Docker", b"dckr_pat_", rb"[\w-]{27,}"),
    ("Docker", b"dckr_oat_", rb"[\w-]{27,}"),
    ("Grafana", b"glsa_", rb"[A-Za-z0-9]{32}_[0-9a-f]{8}"),
    ("Grafana", b"glc_", rb"[A-Za-z0-9+/]{40,}={0,2}"),
    ("Sentry", b"sntrys_", rb"[\w+/=-]{60,}"),
    ("Atlassian", b"ATATT3x", rb"[\w=-]{100,}"),
    ("Linear", b"lin_api_", rb"[A-Za-z0-9]{40}"),
    ("Notion", b"ntn_", rb"[A-Za-z0-9]{40,}"),
    ("Postman", b"PMAK-", rb"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("New Relic", b"NRAK-", rb"[A-Z0-9]{27}"),
    ("Doppler", b"dp.pt.", rb"[A-Za-z0-9]{40,}"),
    ("Figma", b"figd_", rb"[\w-]{40,}"),
    ("Pulumi", b"pul-", rb"[0-9a-f]{40}"),
    ("Heroku", b"HRKU-", rb"[\w-]{36,}"),
    ("Tailscale", b"tskey-", rb"[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}"),
    ("Artifactory", b"AKCp", rb"[A-Za-z0-9]{60,}"),
)
"""Issuers whose tokens begin with letters of their own; and what follows these."""

_FORMS: tuple[tuple[str, bytes | tuple[bytes, ...], bytes], ...] = (
    # A kind, letters without which there is none, and the form; its group is what must look random.
    (
        "a private key",
        b"PRIVATE KEY",
        # Between the header and the key there may be lines such as Proc-Type; a string has its own line ends.
        rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        rb"(?:(?:(?!-----)[^\0]){0,300}?[^A-Za-z0-9+/])?"
        # Lines may be short; a string writes their ends out.
        rb"(" + _B64 + rb"{40,}|(?:" + _B64 + rb"{16,39}(?:\\?[\r\n]|\\r|\\n)[\\rn\s\"'+]{0,20}){2,})",
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
        rb"(?i:aws_?secret_?key|secret_?access_?key)(?i:_id)?[\"']?\s*[=:]\s*[\"']?("
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
    ("a token of OpenAI", b"T3BlbkFJ", rb"sk-([\w-]{0,200}T3BlbkFJ[\w-]{16,})"),
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
    *(
        (
            f"a token of {issuer}",
            letters,
            rb"(?<![A-Za-z0-9])" + re.escape(letters) + b"(" + body + rb")(?!\w)",
        )
        for issuer, letters, body in _PREFIXED
    ),
    ("a token of GitLab", (b"glrt-", b"gldt-", b"glptt-"), rb"(?<![A-Za-z0-9])gl(?:rt|dt|ptt)-([\w-]{20,})"),
    (
        "a token of Mailchimp",
        tuple(b"-us%d" % n for n in range(1, 10)),
        rb"(?<!\w)([0-9a-f]{32})-us\d{1,2}(?!\w)",
    ),
    ("a token of Telegram", b":AA", rb"(?<!\w)\d{8,10}:(AA[\w-]{33})(?![\w-])"),
    ("a token of Terraform", b".atlasv1.", rb"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.([\w-]{60,})"),
    (
        "a token of Twilio",
        (b"twilio", b"Twilio", b"TWILIO"),
        rb"(?i:twilio)[^\0]{0,2000}?(?<![A-Za-z0-9])SK([0-9a-f]{32})(?!\w)",
    ),
    ("a token of Square", b"sq0", rb"(?<!\w)sq0[a-z]{3}-([\w-]{22,43})(?![\w-])"),
    ("a token of Discord", b"/api/webhooks/", rb"/api/webhooks/\d{16,}/([\w-]{60,})"),
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
_LOOKED_AT = 4096
_LEAST_BITS = 3.0
"""Entropy of a character of what is random; base64 of a key has above 5, hexadecimal digits almost 4."""


def secret_by_content(data: bytes) -> str | None:
    """What secret a file holds, such as ``a private key``, or None."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    elif b"\0" in data[:_LOOKED_AT]:
        # Every other byte of what is written in ASCII is none.
        for zeros in (1, 0):
            if data[zeros:_LOOKED_AT:2].count(0) > 0.9 * len(data[zeros:_LOOKED_AT:2]):
                data = data[1 - zeros :: 2]
                break
    if not _may_hold_one(data):
        return None
    for kind, letters, form in _COMPILED:
        if any(one in data for one in letters) and any(map(_is_random, form.finditer(data))):
            return kind
    return None


def without_secret_texts(value: Any) -> tuple[Any, int]:
    """What somebody wrote, such as a program's log, without each text in it that holds a key or a token."""
    if isinstance(value, str):
        what = secret_by_content(value.encode("utf-8", "replace"))
        return (f"(withheld: {what})", 1) if what else (value, 0)
    if isinstance(value, list | tuple):
        shown = [without_secret_texts(one) for one in value]
        return [one for one, _ in shown], sum(count for _, count in shown)
    if isinstance(value, dict):
        pairs = [(without_secret_texts(name), without_secret_texts(one)) for name, one in value.items()]
        return {name: one for (name, _), (one, _) in pairs}, sum(n + m for (_, n), (_, m) in pairs)
    return value, 0


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
