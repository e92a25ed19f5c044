"""`python -m ealm` is the `ealm` command."""

from ealm.cli import main

main(prog_name="ealm")
