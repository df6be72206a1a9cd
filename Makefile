# `make run` serves locally, `make search` is a search service alone, `make test` checks what is not slow. Each sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help run search test test-all check infra-check conformance written bench soak clean

# 7071 for run, 7072 for search
PORT ?=
HOST ?= 127.0.0.1
PYTHON ?= python3
BIN := .venv/bin
# as many processes as the machine has processors; the tests of one file stay together
WORKERS ?= logical
# the programs that tests start read bytecode rather than compile each module again
test test-all infra-check: export PYTHONDONTWRITEBYTECODE :=
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --durations 10

help:
	@echo "make run          serve at http://localhost:7071, with a page to try it (PORT=, HOST=, TLS=1, TRACE=1 prints spans)"
	@echo "make search       a local Azure AI Search at http://localhost:7072 (PORT=, HOST=, TLS=1, DATA= to keep it)"
	@echo "make test         ruff, mypy --strict, pytest: all but what is slow, in at most four minutes on two cores"
	@echo "make test-all     make test, then the rest: other clients, checkov, every example of a law (WORKERS= as for test)"
	@echo "make check        ruff and mypy --strict alone"
	@echo "make infra-check  the part of make test that checks infra/, azure.yaml and the workflows, in under a minute"
	@echo "make conformance  Microsoft's own search tests, and what they came to"
	@echo "make written      docs/openapi.json and requirements.txt anew, from what they are written from"
	@echo "make bench        benchmarks, each with its ratio and its target"
	@echo "make soak         10,000 requests while a fifth of what is behind fails; about five minutes (REQUESTS=)"
	@echo "make clean        removes what was set up: .venv, .cache, .local"

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed.") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv (once, about a minute)"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: .venv/ready
	@exec $(BIN)/python -m retrieval.local serve --host $(HOST) --port $(or $(PORT),7071) $(if $(TLS),--tls) $(if $(TRACE),--trace)

search: .venv/ready
	@exec $(BIN)/python -m retrieval.local search --host $(HOST) --port $(or $(PORT),7072) $(if $(DATA),--data $(DATA)) $(if $(TLS),--tls)

test: .venv/ready check
	@$(BIN)/python -m tests.prepare
	$(PYTEST) -m "not slow"

test-all: test
	@$(BIN)/python -m tests.prepare --all
	THOROUGH=1 $(PYTEST) -m "slow or hypothesis"

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

conformance: .venv/ready
	@$(BIN)/python -m tests.conformance

infra-check: .venv/ready
	@$(BIN)/python -m tests.prepare
	$(PYTEST) -m "not slow" tests/infra

written: .venv/ready
	@$(BIN)/python -m retrieval.openapi > docs/openapi.json
	@$(BIN)/python -m tests.requirements > requirements.txt

bench: .venv/ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m tests.benchmarks

soak: .venv/ready
	@$(BIN)/python -m tests.benchmarks.soak $(if $(REQUESTS),--requests $(REQUESTS))

clean:
	rm -rf .venv .cache .local
