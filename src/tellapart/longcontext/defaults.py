"""Defaults and choices: constants alone, since the help of commands shows them too."""

from typing import Literal

JUDGE = "anthropic/claude-sonnet-4-5-20250929"
"""Whom the source document asks to grade."""

DELAY_S = 1.0
"""Between two calls, as in the documented experiment and its grading."""

TEMPERATURE = 0.3
"""As the documented experiment had it."""

MAX_TOKENS = 2000
"""Of a reply: the documented experiment left it to its provider, and 500 would cut a list of 25 studies."""

TOKENS_A_CHARACTER = 0.25
"""The guess where tokens were not counted."""

GraderChoice = Literal["auto", "rules", "judge"]
"""Who decides. ``auto``: the rules, and what they leave the judge, if there is one."""

Standard = Literal["documented", "lenient", "strict"]
"""How exact a right answer must be, as the judge is told; the documented prompt says nothing of it."""
