import pytest

from tellapart.codesearch.kinds import parse_system
from tellapart.errors import UsageError


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("lexical", ("lexical", "")),
        ("ripgrep:", ("ripgrep", "")),
        ("embeddings:st:a/b", ("embeddings", "st:a/b")),
        ("mcp:serve --stdio#find", ("mcp", "serve --stdio#find")),
        ("http:https://h:1/x", ("http", "https://h:1/x")),
        ("https://h/x", ("http", "https://h/x")),
        ("http://h/x", ("http", "http://h/x")),
        ("python:a.py:find", ("python", "a.py:find")),
        ("command: prog {issue}", ("command", "prog {issue}")),
    ],
)
def test_a_name_is_a_kind_and_what_follows(spec, kind):
    assert parse_system(spec) == kind


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ripgrp:", "Did you mean 'ripgrep'"),
        ("my-search {issue}", "command:my-search {issue}"),
        ("lexical:x", "expected 'lexical:'"),
        ("mcp:", "expected 'mcp:COMMAND'"),
        ("", "expected one of"),
    ],
)
def test_a_name_of_no_kind_is_refused_with_what_there_is(spec, message):
    with pytest.raises(UsageError) as error:
        parse_system(spec)
    assert message in str(error.value)
