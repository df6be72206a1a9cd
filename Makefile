# `make run` serves locally, `make search` is a search service alone, `make test` checks everything. Each sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: infra-check help run search test check conformance written bench clean

# 7071 for run, 7072 for search
PORT ?=
HOST ?= 127.0.0.1
PYTHON ?= python3
BIN := .venv/bin

help:
	@echo "make run          serve at http://localhost:7071 (PORT=, HOST=, TLS=1)"
	@echo "make search       a local Azure AI Search at http://localhost:7072 (PORT=, HOST=, DATA= to keep it)"
	@echo "make test         ruff, mypy --strict, pytest"
	@echo "make conformance  Microsoft's own search tests, and what they came to"
	@echo "make infra-check  the part of make test that checks infra/, azure.yaml and the workflows"
	@echo "make written      docs/openapi.json and requirements.txt anew, from what they are written from"
	@echo "make bench        benchmarks, each with its ratio and its target"

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed.") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: .venv/ready
	@exec $(BIN)/python -m retrieval.local serve --host $(HOST) --port $(or $(PORT),7071) $(if $(TLS),--tls)

search: .venv/ready
	@exec $(BIN)/python -m retrieval.local search --host $(HOST) --port $(or $(PORT),7072) $(if $(DATA),--data $(DATA))

test: .venv/ready check
	$(BIN)/python -m pytest

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

conformance: .venv/ready
	@$(BIN)/python -m tests.conformance

infra-check: .venv/ready
	$(BIN)/python -m pytest tests/infra

written: .venv/ready
	@$(BIN)/python -m retrieval.openapi > docs/openapi.json
	@$(BIN)/python -m tests.requirements > requirements.txt

bench: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.benchmarks

clean:
	rm -rf .venv .cache .local
