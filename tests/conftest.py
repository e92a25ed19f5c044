"""What all tests share: no network, one thread (tiny models run several times faster), the same examples every time."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("offline", deadline=None, derandomize=True, database=None)
settings.load_profile("offline")
