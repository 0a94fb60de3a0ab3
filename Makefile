# Needs Python 3.11 or newer and make; everything else is installed into .venv by the first target that wants it.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
INSTALL := $(if $(shell command -v uv 2>/dev/null),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile)

.PHONY: help install serve play test torture fmt docs pictures bench clean
help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Turnstile needs Python 3.11 or newer; none was found. Name yours: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[svg]'
	@touch $@

.venv/installed-dev: pyproject.toml | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	@touch $@ .venv/installed

install: .venv/installed  ## into .venv; leaves .venv/bin/turnstile

serve: install  ## play in the browser: starts the server and prints its address
	@$(BIN)/turnstile serve $(ARGS)

GAME ?= e-card
play: install  ## a game against a bot, here in the terminal: make play GAME=e-card
	@$(BIN)/turnstile play $(GAME)

# Tests start many processes. Each of them would compile all that it imports, where the environment forbids to store it.
test torture: export PYTHONDONTWRITEBYTECODE :=
test torture: export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/bytecode

test: .venv/installed-dev  ## everything CI checks
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.pages --check
	$(BIN)/pytest -n 2 --dist worksteal --durations=25 --cov --cov-report=term

torture: .venv/installed-dev  ## crashes at every single write, and more of all that is random
	$(BIN)/pytest -s --torture --timeout 0 tests/crash tests/store tests/agents/test_random_kills.py tests/server/test_kills.py
	TORTURE_SEEDS=$(or $(TORTURE_SEEDS),20000) $(BIN)/pytest -n 2 tests/world tests/league/world

fmt: .venv/installed-dev  ## format and mend what can be mended
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/installed-dev  ## make the generated pages anew
	$(BIN)/python -m tools.pages

pictures: .venv/installed-dev  ## take the pictures of README and docs again
	$(BIN)/python -m tools.pictures $(ARGS)

.venv/installed-peers: .venv/installed-dev
	$(INSTALL) --editable '.[dev,peers]'
	@touch $@

bench: .venv/installed-peers  ## speed, beside other libraries; interleaved, in one run
	$(BIN)/python -m bench

clean:  ## forget .venv and the caches
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .import_linter_cache
