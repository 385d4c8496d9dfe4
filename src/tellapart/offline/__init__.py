"""Models that need no network and no key: ``offline/NAME`` replies with what a function of yours says.

    from tellapart.offline import respond

    @respond("always-yes")
    def always_yes(prompt):
        return '{"relevant": true}'

`respond` gives the function the last message, `respond_to_all` the whole conversation. A reply is a text, or
an output of Inspect for another stop reason, a usage of its own, or a tool call (`calls_tool`).
The package has rules of its own for each suite, in ``contrastive`` (which has the judges of ``writers`` too),
``codesearch`` and ``longcontext``.
"""

from typing import TYPE_CHECKING

from tellapart.lazy import names_from

if TYPE_CHECKING:
    from tellapart.offline.provider import Offline, calls_tool
    from tellapart.offline.responders import (
        USAGE_CHARACTERS_A_TOKEN,
        Reply,
        Responder,
        ResponderToAll,
        Turns,
        respond,
        respond_to_all,
    )

__all__ = [
    "Offline", "Reply", "Responder", "ResponderToAll", "Turns", "USAGE_CHARACTERS_A_TOKEN", "calls_tool",
    "respond", "respond_to_all",
]  # fmt: skip

# The provider imports Inspect, which takes seconds.
__getattr__ = names_from(__name__, __all__, "responders", "provider")
