"""The subcommands of `ealm`, one module each."""
