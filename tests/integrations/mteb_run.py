"""The library MTEB, quiet, without its cache and without a network."""

import logging
import warnings
from contextlib import contextmanager


@contextmanager
def quiet():
    import datasets
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    datasets.disable_progress_bars()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE = before
        logging.disable(disabled)
        datasets.enable_progress_bars()


def evaluate(model, tasks, **options):
    import mteb

    usual = {"cache": None, "show_progress_bar": False, "encode_kwargs": {"show_progress_bar": False}}
    with quiet():
        return mteb.evaluate(model, tasks, **(usual | options))
