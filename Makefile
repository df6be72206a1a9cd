# Two commands: `make run` serves locally, `make test` checks everything. Each sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help run test check bench clean

PORT ?= 7071
HOST ?= 127.0.0.1
PYTHON ?= python3
BIN := .venv/bin

help:
	@echo "make run    serve at http://localhost:$(PORT) (PORT=, HOST=, TLS=1)"
	@echo "make test   ruff, mypy --strict, pytest"
	@echo "make bench  benchmarks, each with its ratio and its target"

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed.") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: .venv/ready
	@exec $(BIN)/python -m retrieval.local serve --host $(HOST) --port $(PORT) $(if $(TLS),--tls)

test: .venv/ready check
	$(BIN)/python -m pytest

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf .venv .cache .local
