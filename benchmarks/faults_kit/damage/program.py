"""The program in whose forks damaged files are read: everything that a command may import, imported once."""

import contextlib
import gc
import importlib
import pkgutil

import numba

import tellapart

# No command imports them; PyTorch and sentence-transformers take five seconds.
_NEVER_IMPORTED = {"tellapart.__main__", "tellapart.bundles.evaluator"}
# What Inspect imports when it first plays something.
_INSPECT = "inspect_ai._eval.run inspect_ai.model._openai_responses inspect_ai.agent anyio._backends._asyncio"

_names = {module.name for module in pkgutil.walk_packages(tellapart.__path__, "tellapart.")}
for _name in [*sorted(_names - _NEVER_IMPORTED), *_INSPECT.split()]:
    # No machine has what every extra needs.
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)
# The first loop that is compiled or read takes half a second.
numba.njit(lambda: 0)()
gc.freeze()
