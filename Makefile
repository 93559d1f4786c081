# Two commands matter: `make run` and `make test`. Both set up what they need; `make` alone lists the rest.
# Needs GNU make 3.81+ and Python 3.11+, nothing else. Paths are relative, so the folder may have spaces in its name.

# Some machines forbid compiled modules; each start would then compile a second or more of libraries anew.
unexport PYTHONDONTWRITEBYTECODE

ARGS ?=
# More than cores: many tests wait for a process to end or a lease to run out.
N ?= 3

# What the type checker reads. `bench` joins when it has something in it: mypy refuses an empty folder.
TYPED := src tests scripts $(if $(wildcard bench/*.py bench/*/*.py),bench)

.PHONY: help setup runtime run test check fmt chaos browser pictures bench lock client web clean

help:  ## this list
	@echo "Spotter: the open platform for AI coaches and AI gym staff."
	@echo
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  ARGS="…"     is passed on:        make run ARGS="--port 0", make test ARGS="-k tenancy"'
	@echo '  N=4          test processes:      make test N=4'
	@echo '  PYTHON=…     another interpreter: make setup PYTHON=/usr/bin/python3.12'
	@echo '  UV=          do without uv even when it is installed'

setup:  ## make .venv with everything for development (quick when nothing changed)
	@scripts/setup dev
	@.venv/bin/python scripts/build_web.py

web: runtime  ## build the web app if its sources changed
	@.venv/bin/python scripts/build_web.py

# What Spotter needs to run, without the development tools, in the same .venv.
runtime:
	@scripts/setup runtime

run: web  ## start Spotter with its own database and a demo gym, and print a sign-in link
	@exec .venv/bin/spotter up $(ARGS)

test: check  ## everything: set-up, checks, then the whole test suite on a real PostgreSQL
	@start=$$(date +%s); \
	.venv/bin/python -m pytest -n $(N) --dist loadfile --no-loadscope-reorder $(ARGS) || { \
	    echo; echo "Some tests failed. One of them again: .venv/bin/python -m pytest path/to/test.py::name"; exit 1; }; \
	echo; echo "All checks and tests passed (tests took $$(( $$(date +%s) - start )) s)."

check: setup  ## format, lint, types, import rules, sizes; no tests
	@echo "format"; .venv/bin/ruff format --check --quiet . || { echo "make fmt puts this right"; exit 1; }
	@echo "lint"; .venv/bin/ruff check --quiet .
	@echo "types"; .venv/bin/mypy --explicit-package-bases --no-error-summary $(TYPED)
	@echo "imports"; .venv/bin/lint-imports --no-cache > .make/imports.log 2>&1 || { cat .make/imports.log; exit 1; }
	@echo "sizes"; .venv/bin/python scripts/check_sizes.py
	@echo "web"; .venv/bin/python scripts/build_web.py check

fmt: setup  ## put formatting and import order right
	@.venv/bin/ruff check --quiet --fix-only .
	@.venv/bin/ruff format .
	@.venv/bin/python scripts/build_web.py format

chaos: setup  ## the tests that kill real processes, in their long form
	@SPOTTER_CHAOS=long .venv/bin/python -m pytest -m chaos $(ARGS)

browser: setup  ## only the tests of the web app in a real Chromium
	@.venv/bin/python -m pytest tests/browser $(ARGS)

pictures: setup  ## take the README's pictures of the web app anew
	@SPOTTER_PICTURES=docs/pictures .venv/bin/python -m pytest tests/browser/test_training.py $(ARGS)

bench: setup  ## measure; results go to bench/results
	@if [ -f bench/run.py ]; then exec .venv/bin/python bench/run.py $(ARGS); \
	else echo "Nothing to measure yet: bench/run.py does not exist."; fi

lock:  ## write requirements/*.txt anew from pyproject.toml (ARGS=--upgrade takes newer versions)
	@python=$$(scripts/find-python) && "$$python" scripts/lock.py $(ARGS)

client: setup  ## write the web app's typed API client anew from the server's OpenAPI document
	@.venv/bin/python scripts/build_web.py client

clean:  ## remove what make and the tools have made (never your data)
	@rm -rf .venv .make .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build web/node_modules src/spotter/api/static/app
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
	@echo "Clean. The data of 'spotter up' is where it was; 'spotter doctor' says where."
