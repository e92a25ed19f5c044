"""Runs ealm commands that die at a chosen moment of their writing.

The process loads the libraries once and forks a child for each order, a line of JSON on its standard input:

    {"arguments": ["train", ...], "folder": "/where/it/writes", "die_at": 7, "most_bytes": null, "errors": "/a/file"}

`die_at` numbers what the child does to files in the folder: opening them for writing, writing, syncing, cutting,
renaming, removing. The child kills itself right before that; of a write it does half first. `most_bytes` lets the
kernel kill it when a file grows longer. The answer is a line of JSON with the exit code (negative for a signal) and,
for a child that came to its end, the number of moments.
"""

import json
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.rename", "os.remove", "os.truncate", "os.chmod"}


class Moments:
    """Counts what is done to files, and dies at the chosen moment."""

    def __init__(self, folder: str, die_at: int | None) -> None:
        self.count = 0
        self._folder = folder
        self._die_at = die_at
        self._main = threading.get_ident()
        self._write, self._sync = os.write, os.fsync

    def watch(self) -> None:
        """From here on; there is no way back, so only in a child."""
        sys.addaudithook(self._audit)
        os.write, os.fsync = self._watched_write, self._watched_sync

    def pass_by(self, dying_breath: Callable[[], object] = lambda: None) -> None:
        if threading.get_ident() != self._main:  # the writer of TensorBoard's files comes when it likes
            return
        self.count += 1
        if self.count == self._die_at:
            dying_breath()
            os.kill(os.getpid(), signal.SIGKILL)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if self._ours(path) and isinstance(flags, int) and flags & WRITING:
                self.pass_by()
        elif event in CHANGES and (event == "os.truncate" or self._ours(arguments[0])):
            self.pass_by()

    def _ours(self, path: object) -> bool:
        return isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self._folder)

    def _watched_write(self, file: int, data: Any) -> int:
        if self._is_file(file):
            self.pass_by(lambda: self._write(file, memoryview(data)[: len(data) // 2]))
        return self._write(file, data)

    def _watched_sync(self, file: int) -> None:
        if self._is_file(file):
            self.pass_by()
        self._sync(file)

    def _is_file(self, file: int) -> bool:
        return str(Path(f"/proc/self/fd/{file}").readlink()).startswith(self._folder)


def obey(order: dict[str, Any], answer: int) -> None:
    """In a child: run the command; the number of moments goes to the file `answer`."""
    errors = os.open(order["errors"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(errors, 2)
    os.dup2(errors, 1)
    if order["most_bytes"] is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and a write fails instead
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["most_bytes"], resource.RLIM_INFINITY))
    moments = Moments(order["folder"], order["die_at"])
    moments.watch()
    code = run(order["arguments"])
    sys.stderr.flush()
    moments._write(answer, str(moments.count).encode())
    os._exit(code)


def run(arguments: list[str]) -> int:
    """The command; gives its exit code."""
    from ealm.cli.main import main

    try:
        main(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def serve() -> None:
    """A child for each order, one after the other."""
    from transformers.models.bert import modeling_bert

    import ealm.lm.adapt.run
    import ealm.summarize.summarizer
    import ealm.training.setup

    assert modeling_bert
    assert ealm.training.setup
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            obey(json.loads(line), writing)
        os.close(writing)
        _, status = os.waitpid(child, 0)
        with os.fdopen(reading) as told:
            moments = told.read()
        answer = {"code": os.waitstatus_to_exitcode(status), "moments": int(moments) if moments else None}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
