"""Synthetic experiments."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tellapart.cli.output import print_json, say


def generate(
    out: Annotated[Path, typer.Option("--out", help="Directory for a file a case.", metavar="DIR")],
    lengths: Annotated[
        str, typer.Option("--lengths", help="Tokens of the context when a question is asked.")
    ] = "2K,4K,8K,16K,32K,64K,128K",
    depths: Annotated[
        str, typer.Option("--depths", help="Where facts stand, in percent from the beginning.")
    ] = "0,25,50,75,100",
    facts: Annotated[
        int, typer.Option("--facts", min=1, help="Facts at each depth of each conversation.")
    ] = 1,
    conversations: Annotated[
        int, typer.Option("--conversations", min=1, help="Conversations of each length.")
    ] = 8,
    distractors: Annotated[
        int, typer.Option("--distractors", min=0, max=10, help="Facts that look like it, for each fact.")
    ] = 1,
    traps: Annotated[
        int, typer.Option("--traps", min=0, help="Questions on what was never said, a conversation.")
    ] = 1,
    messages: Annotated[
        int, typer.Option("--messages", min=1, help="At most how many messages a conversation.")
    ] = 8,
    latent: Annotated[
        bool,
        typer.Option("--latent", help="Questions that share no word with their evidence, as in NoLiMa."),
    ] = False,
    rate: Annotated[
        float,
        typer.Option("--tokens-per-character", min=0.05, max=4, help="How texts become tokens."),
    ] = 0.25,
    filler: Annotated[
        Path | None, typer.Option("--filler", help="Your own text between the facts.", metavar="FILE")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of everything that is drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Make up conversations of any length, with facts at chosen depths and questions on them."""
    from tellapart.longcontext.generating import Design, depths_of, lengths_of, write_cases

    design = Design(
        lengths_of(lengths),
        depths_of(depths),
        facts,
        conversations,
        distractors,
        traps,
        messages,
        latent,
        rate,
        seed,
    )
    written = write_cases(design, out, filler=filler, progress=say)
    calls = sum(case.messages + case.probes for case in written)
    tokens = sum(case.prompt_tokens for case in written)
    if as_json:
        print_json(
            {
                "cases": [vars(case) | {"path": str(case.path)} for case in written],
                "calls": calls,
                "prompt_tokens": tokens,
                "seed": seed,
            }
        )
    say(
        f"{len(written)} conversations, {sum(case.probes for case in written)} questions: about {calls:,} "
        f"calls and {tokens:,} prompt tokens for each model"
    )
    say(f"next: tellapart longcontext lint {shlex.quote(str(out))}")
