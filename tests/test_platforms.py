"""Nothing in the package depends on one system, unless docs/platforms.md lists it."""

import re
from pathlib import Path

import pytest

import ealm

PACKAGE = Path(ealm.__file__).parent
ROOT = Path(__file__).resolve().parents[1]
OF_ONE_SYSTEM = re.compile(
    r"\bimport (?:fcntl|grp|pty|pwd|resource|termios|tty|msvcrt|winreg)\b|[\"']/(?:proc|sys|dev|tmp|etc)\b"
    r"|\bos\.(?:fork\w*|kill\w*|getuid|geteuid|setsid|getpgid|sched_\w+|getloadavg|sysconf|nice|mkfifo|umask)\b"
    r"|\bsignal\.(?:SIGTERM|SIGKILL|SIGHUP|SIGUSR[12]|SIGCHLD|SIGALRM|SIGPIPE|setitimer|alarm|pause)\b"
    r"|\badd_signal_handler\b|\bget_context\([\"']fork|\bimport ctypes\b|\.symlink_to\b|\bos\.symlink\b"
)
"""Modules, calls, signals and paths that some system lacks."""


def uses() -> dict[str, set[str]]:
    """What is found, by module."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if names := set(OF_ONE_SYSTEM.findall(path.read_text(encoding="utf-8"))):
            found[path.relative_to(PACKAGE).as_posix()] = names
    return found


GUARDED = {
    "batch/resumable_file.py": {"import fcntl"},  # behind sys.platform
    "common/process_pool.py": {"os.sched_getaffinity", "signal.SIGTERM"},  # behind hasattr; Windows has the number
    "common/ray_pool.py": {"signal.SIGTERM"},
    "common/stopping.py": {"signal.SIGTERM"},
    "common/storage.py": {"os.umask"},  # Windows has it, and ignores what it says
    "lm/clean_folder.py": {".symlink_to"},  # else a copy
    "service/memory.py": {"import ctypes"},  # behind sys.platform
    "service/server.py": {"signal.setitimer"},  # behind hasattr
}


def test_what_is_of_one_system_is_guarded_and_listed() -> None:
    assert uses() == GUARDED


@pytest.mark.parametrize("module", sorted(GUARDED))
def test_the_page_names_the_module(module: str) -> None:
    assert f"`{module}`" in (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "code", ["import fcntl", "os.kill(1, 9)", "open('/proc/self/stat')", "signal.SIGKILL", "import ctypes"]
)
def test_the_search_finds_what_it_is_for(code: str) -> None:
    assert OF_ONE_SYSTEM.search(code)
