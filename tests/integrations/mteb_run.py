"""The library MTEB, quiet and without its cache."""


def evaluate(model, tasks, **options):
    import mteb

    from tellapart.embed.mteb_library import quiet_mteb

    usual = {"cache": None, "show_progress_bar": False, "encode_kwargs": {"show_progress_bar": False}}
    with quiet_mteb():
        return mteb.evaluate(model, tasks, **(usual | options))
