"""Contrastive benchmarks: can a model pick the code that a summary describes.

A unit of code has six forms: a definition in a syntax tree; the ``Unit`` that is cut out of it; its row in
``units.parquet``, whose number stands for it in sets, candidates and answers; the text that a model is given;
the line of ``contrastive units``; and the entry in the page's browser.
"""

from typing import TYPE_CHECKING

from tellapart.lazy import lazy_names

if TYPE_CHECKING:
    from tellapart.contrastive.build_options import BuildOptions
    from tellapart.contrastive.building import build
    from tellapart.contrastive.methods import bias, validate
    from tellapart.contrastive.running import run

__all__ = ["BuildOptions", "bias", "build", "run", "validate"]

__getattr__ = lazy_names(
    __name__,
    {
        "BuildOptions": "build_options",
        "bias": "methods",
        "build": "building",
        "run": "running",
        "validate": "methods",
    },
)
