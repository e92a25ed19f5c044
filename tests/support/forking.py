"""Runs ealm commands in processes that need not load the libraries first: a kill then costs little.

The process loads them once. An order is a line of JSON on its standard input, the answer one on its standard output:

    {"arguments": ["train", ...], "errors": "/a/file"}    starts a command in a process group of its own: {"pid": 7}
    {"poll": 7}                                           whether it is over: {"code": null}, or its exit code
    {"wait": 7}                                           the same, but waits for the end
"""

import json
import os
import sys
from typing import Any

from dying import run


def obey(order: dict[str, Any]) -> None:
    """In a child: run the command."""
    os.setsid()
    errors = os.open(order["errors"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDWR)
    for old, new in ((nothing, 0), (nothing, 1), (errors, 2)):
        os.dup2(old, new)
    code = run(order["arguments"])
    sys.stderr.flush()
    os._exit(code)


def started(order: dict[str, Any]) -> int:
    child = os.fork()
    if not child:
        obey(order)
    return child


def code_of(child: int, options: int) -> int | None:
    """Of a child that is over; a group that was killed may take its own time to end."""
    pid, status = os.waitpid(child, options)
    return os.waitstatus_to_exitcode(status) if pid else None


def serve() -> None:
    import ealm.summarize.summarizer
    import ealm.training.setup

    assert ealm.training.setup
    for line in sys.stdin:
        order = json.loads(line)
        if "arguments" in order:
            answer: dict[str, Any] = {"pid": started(order)}
        else:
            child, options = (order["poll"], os.WNOHANG) if "poll" in order else (order["wait"], 0)
            answer = {"code": code_of(child, options)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
