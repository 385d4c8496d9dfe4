"""The loop: search, evaluate, learn, and again, until there is a reason to stop."""

from tellapart.codesearch.looping.run import LoopResult, run_loop
from tellapart.codesearch.looping.steps import Iteration, Steps

__all__ = ["Iteration", "LoopResult", "Steps", "run_loop"]
