"""Conversations with the token counts of made-up tokenizers."""

import random
from dataclasses import replace

from tellapart.longcontext.transcript import PlayedCase, PlayedStep, Usage


def conversation(turns, *, system=100, name="made"):
    """Steps from (kind, id, user tokens, reply tokens, letters a token); what is sent is their running sum.

    Kind is ``message``, ``fork`` (in no later prompt) or ``failed`` (taken back).
    """
    held, steps = system, []
    for kind, id_, user, reply, letters in turns:
        prompt = held + user
        failed, forked = kind == "failed", kind == "fork"
        usage = None if failed else Usage(prompt, reply, prompt + reply)
        response = None if failed else "y" * (reply * letters)
        length = 2 * (1 + sum(step.response is not None and not step.forked for step in steps))
        text = "x" * (user * letters)
        status = 500 if failed else 200
        steps.append(
            PlayedStep(id_, "message", None, text, response, usage, status, None, length, None, forked)
        )
        if not (failed or forked):
            held = prompt + reply
    return PlayedCase(name, tuple(steps), model="m")


def random_conversation(seed, steps=60, forked=0.0, failed=0.0):
    """One whose tokenizer has a rate of its own, that varies by up to a tenth from text to text."""
    rng = random.Random(seed)
    rate, marks, system = rng.uniform(0.15, 0.9), rng.randint(0, 8), rng.randint(0, 500)
    held, played = system, []
    for number in range(steps):
        short = rng.random() < 0.4
        text = "x" * (rng.randint(60, 200) if short else rng.randint(700, 3000))
        user = round(len(text) * rate * rng.uniform(0.9, 1.1)) + marks
        answer = "y" * rng.randint(80, 400)
        reply = round(len(answer) * rate * rng.uniform(0.9, 1.1))
        fork, fails = short and rng.random() < forked, rng.random() < failed
        usage = None if fails else Usage(held + user, reply, held + user + reply)
        played.append(
            PlayedStep(
                f"M{number}", "message", None, text, None if fails else answer, usage, 200, forked=fork
            )
        )
        if not (fork or fails):
            held += user + reply
    return PlayedCase("random", tuple(played), model="m")


def prompts(case, change):
    """The same with other prompt tokens: ``change`` gets the place and the tokens of each step."""
    steps = [
        replace(s, usage=s.usage and replace(s.usage, prompt_tokens=change(place, s.usage.prompt_tokens)))
        for place, s in enumerate(case.steps)
    ]
    return replace(case, steps=tuple(steps))
