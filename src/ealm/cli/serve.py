"""`ealm serve`: a page and a service."""

from pathlib import Path

import click

from ealm.cli.shared import engine_option, grammar_option, plain_errors
from ealm.common.extras import needs_extra

_OWN_NAMES = ("127.0.0.1", "localhost", "[::1]")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 is everybody.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8_000, show_default=True, help="0 takes a free one.")
@click.option(
    "--model",
    "folder",
    default="embedded",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of a trained agent.",
)
@click.option("--lm", help="Another masked language model than the one the agent names.")
@click.option(
    "--compare",
    default="embedded-paper",
    show_default=True,
    help="Another model, by name or folder, that the page can show beside this one; none for no other.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=30,
    show_default=True,
    help="Seconds for a response; what takes longer is dropped. Longer texts are taken with more time.",
)
@click.option(
    "--allowed-hosts",
    help="Names under which requests may come, with commas between them; * for any. Without, only this machine's own "
    "names if it listens on a loopback address, and any otherwise.",
)
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Connections that may be open at the same time.",
)
@engine_option
@grammar_option
@plain_errors
def serve(
    host: str,
    port: int,
    folder: Path,
    lm: str | None,
    compare: str,
    timeout: float,
    allowed_hosts: str | None,
    connections: int,
    engine: str,
    grammar: str,
) -> None:
    """Serve a page for people and an interface for programs, until Ctrl-C.

    Nothing that is sent is logged or stored. There is no password: put a proxy before it if others can reach it.
    """
    with needs_extra("serve", "Serving"):
        from ealm.service.app import create_app
        from ealm.service.limits import ConnectionLimits, ServiceLimits
        from ealm.service.memory import remember_few_shapes, share_memory_among_threads, spare_what_is_loaded
        from ealm.service.server import Server
    from ealm.summarize.summarizer import Summarizer

    share_memory_among_threads()
    remember_few_shapes()
    limits = ConnectionLimits(connections=connections)
    app = create_app(
        Summarizer(folder, lm=lm, engine=engine, grammar=grammar),
        ServiceLimits(timeout_seconds=timeout),
        limits,
        hosts=_hosts(host, allowed_hosts),
        compare=compare,
    )
    server = Server(app, limits, host=host, port=port)
    spare_what_is_loaded()
    sockets = [server.config.bind_socket()]
    sockets[0].listen(connections)  # whoever reads the line can connect
    address, bound_port, *_ = sockets[0].getsockname()
    click.echo(f"ealm listens on http://{f'[{address}]' if ':' in address else address}:{bound_port} (Ctrl-C ends it)")
    server.run(sockets=sockets)


def _hosts(listens_on: str, allowed: str | None) -> list[str] | None:
    """Names of hosts that requests may be for; None for any.

    On a loopback address, a name of its own that leads there would let pages of other sites talk to the service.
    """
    if allowed is None:
        return list(_OWN_NAMES) if listens_on in (*_OWN_NAMES, "::1") else None
    names = [name.strip() for name in allowed.split(",") if name.strip()]
    return None if "*" in names else names
