import pytest

from tellapart.codesearch.kinds import parse_system
from tellapart.errors import UsageError


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
