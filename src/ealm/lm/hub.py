"""The Hugging Face hub: whether there is a way to it."""

import socket
from urllib.parse import urlsplit
from urllib.request import getproxies

_SECONDS = 3.0


def hub_is_reachable() -> bool:
    """Whether the hub's host answers; its own library would try for half a minute before it says that it does not."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if getproxies():
        return True  # who may be reached is for the proxy to say
    address = urlsplit(constants.ENDPOINT)
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname, port), timeout=_SECONDS).close()
    except OSError:
        return False
    return True
