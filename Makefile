# Everything below needs only Python 3.11+, git and make. `make help` lists the targets.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help setup demo test quick thorough lint bench eval clean

help:            ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(VENV)/.ready: pyproject.toml constraints.txt hatch_build.py
	@test -n "$(PYTHON)" || { echo "error: Python 3.11 or newer is needed" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

setup: $(VENV)/.ready   ## virtual environment with exact versions

demo: setup      ## sample transcripts -> memories -> the packet a new session gets
	@$(BIN)/python samples/demo.py

test: setup      ## lint, types and every test (the slow ones too)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: setup     ## the fast tests only
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not client"

thorough: setup  ## every test, storms and property tests at full size; for a nightly run
	NOUS_THOROUGH=1 $(BIN)/python -m pytest -n auto --dist worksteal

lint: setup      ## ruff and mypy
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: setup     ## benchmarks, results in bench/results/
	$(BIN)/python -m bench

eval: setup      ## the shared evaluations, when ../shared is there
	@if [ -f ../shared/eval/run.py ]; then $(BIN)/python ../shared/eval/run.py --nous "$(CURDIR)/$(BIN)/nous"; \
	else echo "../shared/eval is not here: nothing to run"; fi

clean:           ## remove what make created
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .client
