# syntax=docker/dockerfile:1
# The service in a small image: no root, nothing written, no network needed. docs/deployment.md says how to run it.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /source
RUN python -m venv /opt/ealm
ENV PATH=/opt/ealm/bin:$PATH
COPY constraints.txt ./
# The CPU build of PyTorch: the one with CUDA takes gigabytes. A layer of its own, because it changes least; without what
# it needs, because that index has only some versions of it, and not always the pinned ones; and without its own tests and
# C++ headers (145 MB).
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN pip install --constraint constraints.txt --index-url ${TORCH_INDEX} --no-deps torch \
    && rm -rf /opt/ealm/lib/python3*/site-packages/torch/test /opt/ealm/lib/python3*/site-packages/torch/include
COPY pyproject.toml README.md LICENSE NOTICE MANIFEST.in ./
COPY src src
RUN pip install --constraint constraints.txt '.[serve]' && pip uninstall --yes pip

FROM python:${PYTHON}
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ealm
COPY --from=build /opt/ealm /opt/ealm
ENV PATH=/opt/ealm/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HF_HUB_OFFLINE=1
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000
# Ready, and not only alive: the model is loaded. Name localhost among --allowed-hosts, or this asks in vain.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://localhost:8000/readyz', timeout=4)"]
ENTRYPOINT ["ealm", "serve", "--host", "0.0.0.0", "--port", "8000"]
