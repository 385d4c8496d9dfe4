"""Run the command line with ``python -m tellapart``."""

from tellapart.cli.main import main

main()
