"""`ealm serve`: a page and a service."""

from pathlib import Path

import click

from ealm.cli.shared import engine_option, grammar_option, plain_errors
from ealm.common.extras import needs_extra


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
@engine_option
@grammar_option
@plain_errors
def serve(host: str, port: int, folder: Path, lm: str | None, compare: str, engine: str, grammar: str) -> None:
    """Serve a page for people and an interface for programs, until Ctrl-C.

    Nothing that is sent is logged or stored. There is no password: put a proxy before it if others can reach it.
    """
    with needs_extra("serve", "Serving"):
        import uvicorn

        from ealm.service.app import create_app
    from ealm.summarize.summarizer import Summarizer

    app = create_app(Summarizer(folder, lm=lm, engine=engine, grammar=grammar), compare=compare)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
    server = uvicorn.Server(config)
    sockets = [config.bind_socket()]
    address, bound_port, *_ = sockets[0].getsockname()
    click.echo(f"ealm listens on http://{f'[{address}]' if ':' in address else address}:{bound_port} (Ctrl-C ends it)")
    server.run(sockets=sockets)
