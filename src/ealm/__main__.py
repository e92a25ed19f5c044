"""`python -m ealm` is the `ealm` command."""

from ealm.cli.main import main

main(prog_name="ealm")
