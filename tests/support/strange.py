"""Strategies that damage files: JSON, safetensors, and any bytes; and a bound on memory while they are read."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

ROOM = 768 << 20
"""Bytes that reading a file of a few kilobytes may take."""

DEEP = 100_000
STRANGE_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2, 3, 7, 1_000, 65_537, 10**6, 10**9, 10**11, 2**31, 2**63, 10**30, 10**400),
    *(0.0, -0.5, 1.5, 1e-300, 1e308, float("inf"), float("-inf"), float("nan")),
    *("", "x", "1", "../../../etc/passwd", "/etc/passwd", "/dev/zero", "a/b/c", "\x00", "\ud800", "é" * 5_000),
    *([], {}, [[]], [0], [1, 2, 3], {"": {}}, {"a": [1, {"b": None}]}, ["x", 1, None]),
]


@contextmanager
def little_memory(room: int = ROOM) -> Iterator[None]:
    """No more memory than there is now, and a little."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


@st.composite
def damaged_bytes(draw: st.DrawFn, original: bytes) -> bytes:
    """Cut, flipped, repeated, overwritten or replaced."""
    place = draw(st.integers(0, max(0, len(original) - 1)))
    how = draw(st.sampled_from(["cut", "flip", "insert", "overwrite", "remove", "double", "other", "nothing"]))
    if how == "cut":
        return original[:place]
    if how == "flip" and original:
        flipped = bytearray(original)
        for _ in range(draw(st.integers(1, 4))):
            flipped[draw(st.integers(0, len(original) - 1))] ^= 1 << draw(st.integers(0, 7))
        return bytes(flipped)
    new = draw(st.binary(min_size=1, max_size=16))
    if how == "insert":
        return original[:place] + new + original[place:]
    if how == "overwrite":
        return original[:place] + new + original[place + len(new) :]
    if how == "remove":
        return original[:place] + original[place + len(new) :]
    if how == "double":
        return original + original
    return draw(st.binary(max_size=200)) if how == "other" else b""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is something in a JSON value."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


@st.composite
def strange_json(draw: st.DrawFn, original: Any) -> Any:
    """One or two places have other values, or are gone."""
    value = json.loads(json.dumps(original))
    for _ in range(draw(st.integers(1, 2))):
        found = list(places(value))
        path = found[draw(st.integers(0, min(len(found) - 1, 200)))]
        new = deepcopy(draw(st.sampled_from(STRANGE_VALUES)))  # it may be changed in its turn
        if not path:
            if draw(st.booleans()):
                return new
            continue
        owner = value
        for key in path[:-1]:
            owner = owner[key]
        how = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if how == "remove":
            del owner[path[-1]]
        elif how == "add" and isinstance(owner, dict):
            owner["more" if draw(st.booleans()) else "preset"] = new
        else:
            owner[path[-1]] = new
    return value


@st.composite
def damaged_json(draw: st.DrawFn, original: bytes) -> bytes:
    """Other values, other bytes, or brackets without end."""
    how = draw(st.sampled_from(["values", "values", "values", "bytes", "deep"]))
    if how == "values":
        # Half characters can be written as escapes only.
        return json.dumps(draw(strange_json(json.loads(original)))).encode()
    if how == "deep":
        opening = draw(st.sampled_from([b"[", b'{"a":', b'{"settings":[']))
        return opening * DEEP
    return draw(damaged_bytes(original))


@st.composite
def damaged_tensors(draw: st.DrawFn, original: bytes) -> bytes:
    """A safetensors file whose header says something else, or whose bytes are others."""
    how = draw(st.sampled_from(["header", "header", "metadata", "length", "bytes", "numbers"]))
    length = int.from_bytes(original[:8], "little")
    header, numbers = json.loads(original[8 : 8 + length]), original[8 + length :]
    if how == "length":
        declared = draw(st.sampled_from([0, 1, length - 1, length + 1, 10**8, 10**8 + 1, 2**31, 2**63, 2**64 - 1]))
        return declared.to_bytes(8, "little") + original[8:]
    if how == "bytes":
        return draw(damaged_bytes(original))
    if how == "numbers":
        special = draw(st.sampled_from([b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff\xff\x7f\x7f", b"\xff" * 8]))
        place = draw(st.integers(0, max(0, len(numbers) - 1)))
        return original[: 8 + length] + (numbers[:place] + special * 3 + numbers[place:])[: len(numbers)]
    values = header.get("__metadata__", {}).get("ealm")
    if how == "metadata" and values is not None:
        header["__metadata__"]["ealm"] = draw(damaged_json(values.encode())).decode(errors="replace")
    else:
        header = draw(strange_header(header))
    written = json.dumps(header).encode()
    return len(written).to_bytes(8, "little") + written + numbers


@st.composite
def strange_header(draw: st.DrawFn, header: dict[str, Any]) -> Any:
    """One tensor has another type, shape, place or name."""
    changed = json.loads(json.dumps(header))
    name = draw(st.sampled_from(sorted(changed)))
    entry = changed[name]
    how = draw(st.sampled_from(["shape", "dtype", "data_offsets", "name", "any"]))
    if how == "name":
        changed[draw(st.sampled_from(["", "x", "agent.first.weight", "\x00"]))] = changed.pop(name)
    elif how == "any" or how not in entry:
        return draw(strange_json(changed))
    elif how == "dtype":
        entry[how] = draw(st.sampled_from(["F64", "F16", "BF16", "I8", "I64", "BOOL", "F8_E4M3", "U8", "C64", "none"]))
    else:
        sizes = st.sampled_from([0, 1, 2, 3, 10**6, 10**12, 2**31, 2**62, 2**64 - 1])
        entry[how] = draw(st.one_of(st.lists(sizes, max_size=4), st.permutations(entry[how])))
    return changed


def damaged(name: str, original: bytes) -> st.SearchStrategy[bytes]:
    """By the kind of the file."""
    if name.endswith(".json"):
        return damaged_json(original)
    return damaged_tensors(original) if name.endswith(".safetensors") else damaged_bytes(original)
