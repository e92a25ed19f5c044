# All chores of the project; `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
# One environment that grows: first what summarizing needs, then, for tests and chores, the rest. Each file is written
# last, so a set-up that was interrupted has none and goes on. Both hold the folder that they were made for, because a
# virtual environment does not survive being moved or copied.
RUN_TIME := .venv/.run-time
READY := .venv/.ready

.PHONY: help setup demo test test-slow test-faults lint format check build smoke docs audit licences bench bench-quick clean FORCE

help:  ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /\1\t/' \
	  | while IFS=$$'\t' read -r target text; do printf '  make %-12s %s\n' "$$target" "$$text"; done
	@echo
	@echo "  PYTHON=python3.12  the interpreter for setup (3.11 or newer)"
	@echo "  ARGS='...'         extra arguments for demo, test, test-slow, test-faults, bench and bench-quick"
	@echo "  EXTRAS='serve'     extras that smoke installs and tries too"
	@echo "  JOBS=4             processes for test (2 unless told)"

setup: $(READY)  ## Create .venv with everything pinned in constraints.txt
	@echo "The environment in .venv is ready."

ifneq ($(shell test -x $(BIN)/python && cat $(RUN_TIME) 2>/dev/null),$(CURDIR))
$(RUN_TIME): FORCE
endif
ifneq ($(shell cat $(READY) 2>/dev/null),$(CURDIR))
$(READY): FORCE
endif

$(RUN_TIME): pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null \
	  || { echo "error: there is no $(PYTHON). Name a Python 3.11 or newer with: make setup PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "error: Python 3.11 or newer is needed, but $(PYTHON) is $$("$(PYTHON)" --version 2>&1)." \
	            "Name another one with: make setup PYTHON=..." >&2; exit 1; }
	@if [[ -x $(BIN)/python && "$$(cat $@ 2>/dev/null)" == "$(CURDIR)" ]]; then \
	  echo "==> Bringing .venv up to date"; \
	else \
	  echo "==> Creating .venv with $$("$(PYTHON)" --version)"; \
	  "$(PYTHON)" -m venv --clear .venv; \
	fi
	@rm -f $@
	@$(call install,the build backend,setuptools)
	@$(call install,the package and what it needs to run,--no-build-isolation --editable .)
	@printf '%s\n' "$(CURDIR)" > $@

$(READY): $(RUN_TIME)
	@rm -f $@
	@$(call install,extras and tools (a minute or two),--no-build-isolation --editable '.[dev]')
	@printf '%s\n' "$(CURDIR)" > $@

# One line for each large download instead of pip's hundreds; pip's warnings and errors come through stderr.
define install
echo "==> Installing $(1)"; \
$(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt $(2) \
  | { grep --line-buffered -oE '^ *(Downloading|Using cached) .*[MG]B\)|^Installing collected packages' || true; }
endef

demo: $(RUN_TIME)  ## Summarize a few sentences and show what happens (needs no more than summarizing does)
	$(BIN)/python examples/demo.py $(ARGS)

JOBS ?= 2

test: $(READY)  ## Run the quick tests (offline, without a GPU), some minutes
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile $(ARGS)

test-slow: $(READY)  ## Run the slow tests: kills, clusters, whole training runs
	$(BIN)/python -m pytest -m "slow and not hub and not gpu" $(ARGS)

# What the slow tests try a few times, many times: kills, strange files, and clusters.
FAULT_TESTS := tests/faults $(wildcard tests/*/test_ray*.py)

test-faults: $(READY)  ## Kill, fill disks and damage files, many times (long)
	EALM_FAULT_KILLS=$${EALM_FAULT_KILLS:-100} EALM_FUZZ_INPUTS=$${EALM_FUZZ_INPUTS:-1000} \
	  EALM_STRESS_MINUTES=$${EALM_STRESS_MINUTES:-60} \
	  EALM_FAULTS_OUT=$${EALM_FAULTS_OUT:-build/faults.md} EALM_STRESS_OUT=$${EALM_STRESS_OUT:-build/stress.json} \
	  $(BIN)/python -m pytest -m "not hub and not gpu" $(FAULT_TESTS) $(ARGS)

lint: $(READY)  ## Check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Put the code into its standard form
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

check: lint test test-slow  ## Everything that must pass before a change goes in

build: $(READY)  ## Build the wheel and the sdist into dist/
	rm -rf dist build
	$(BIN)/python -m build --no-isolation

# Into an environment of its own, with nothing but the wheel and what it asks for. EXTRAS='serve batch' adds extras.
EXTRAS ?=
comma := ,
empty :=

smoke: build  ## Install the wheel into an empty environment, try every command and the README (needs a package index)
	"$(PYTHON)" -m venv --clear build/smoke
	build/smoke/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt packaging pytest \
	  "$$(ls "$(CURDIR)"/dist/*.whl)$(if $(EXTRAS),[$(subst $(empty) $(empty),$(comma),$(strip $(EXTRAS)))])"
	cd build && smoke/bin/python -I ../tools/smoke.py $(EXTRAS)
	cd build && smoke/bin/python -I -m pytest -c /dev/null --rootdir . --noconftest -o markers=slow -q -rs ../tests/test_readme.py

docs: $(READY)  ## Build the documentation site into site/; any warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

audit: $(READY)  ## Ask a public database for known holes in the pinned packages (needs a network)
	$(BIN)/python -m venv --clear .venv/audit
	.venv/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	.venv/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

licences: $(READY)  ## Write the list of packages and licences into docs/dependencies.md
	$(BIN)/python tools/licences.py

bench: $(READY)  ## Run the full benchmarks
	$(BIN)/python -m benchmarks $(ARGS)
	$(BIN)/python -m benchmarks.approximations

bench-quick: $(READY)  ## Run the benchmarks on a small sample
	$(BIN)/python -m benchmarks --quick $(ARGS)

clean:  ## Remove .venv, caches and build products
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist site src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

FORCE:
