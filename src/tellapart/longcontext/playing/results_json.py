"""What was played, as a file of experiment results has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tellapart.longcontext.played import PlayedStep, Usage
from tellapart.longcontext.playing.play import Conversed, Turn


def results_json(found: Sequence[Conversed]) -> dict[str, Any]:
    """The documented form, key by key in its order, and what it lacks.

    Every moment is that of a call, ``generatedAt`` that of the last one: the same calls give the same file.
    Further keys of a case are ``model``, ``epoch`` and ``systemPrompt``, and ``control`` where it is one,
    before its steps, so that a file that is cut off keeps them; and last ``notAsked``, steps that were not
    reached, where it stopped; of a step ``forked`` where it is, ``cause``
    where there is no response, and ``stopReason`` where a response was cut off or refuses.
    """
    moments = [one.finished_at for one in found if one.finished_at is not None]
    return {"cases": [_case(one) for one in found], "generatedAt": max(moments, default=None)}


def _case(found: Conversed) -> dict[str, Any]:
    control = {"control": found.control} if found.control else {}
    left = [
        {"stepId": s.id, "stepType": s.type, "failureMode": s.failure_mode, "userMessage": s.text}
        for s in found.not_asked
    ]
    return {
        "caseName": found.name,
        "model": found.model,
        "epoch": found.epoch,
        "systemPrompt": found.system,
        **control,
        "steps": [_step(step, found.stop_reasons.get(i)) for i, step in enumerate(found.steps)],
        "conversationLog": [_turn(turn) for turn in found.log],
        "totalMessages": len(found.log),
        "peakTokens": _peak(found),
        "totalSteps": len(found.steps),
        "failedSteps": sum(step.response is None for step in found.steps),
        "startedAt": found.started_at,
        "finishedAt": found.finished_at,
        **({"notAsked": left} if left else {}),
    }


def _peak(found: Conversed) -> int | None:
    """The most tokens of one call: 0 where none was answered, None where nobody counted."""
    answered = any(step.response is not None for step in found.steps)
    return found.played.peak_tokens if answered else 0


def _step(step: PlayedStep, stop_reason: str | None) -> dict[str, Any]:
    return {
        "stepId": step.id,
        "stepType": step.type,
        "failureMode": step.failure_mode,
        "userMessage": step.user_message,
        "assistantResponse": step.response,
        "usage": _usage(step.usage),
        "httpStatus": step.http_status,
        "errorMessage": step.error_message,
        "conversationLength": step.conversation_length,
        "timestamp": step.timestamp,
        **({"forked": True} if step.forked else {}),
        **({"cause": step.cause} if step.cause else {}),
        **({"stopReason": stop_reason} if stop_reason else {}),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": turn.content,
        "stepId": turn.step.id,
        "stepType": turn.step.type,
        "usage": _usage(turn.step.usage) if turn.role == "assistant" else None,
        "timestamp": turn.timestamp,
    }


def _usage(usage: Usage | None) -> dict[str, int | None] | None:
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_cache_hit_tokens": usage.cache_hit_tokens,
        "prompt_cache_miss_tokens": usage.cache_miss_tokens,
    }
