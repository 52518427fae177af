# Two commands on a fresh machine with Python >= 3.11 and make:
#   make demo    install, index this checkout (or DIR=...), ask four questions
#   make test    install what the tests need and run every one of them
# Everything else is for the people who build Quipu.

PYTHON ?= python3
DIR ?= .
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# The tests start Quipu hundreds of times: it is compiled once, whatever is set.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test tested test-fast test-slow check fix goldens size ablate bench torture wheel lock clean

help:
	@sed -n '/^# Two/,/^# Every/p' Makefile | sed 's/^# \{0,1\}//'
	@echo "  make check | fix | test-slow | goldens | size | ablate | bench | torture | wheel | lock | clean"

# The environment: uv installs exactly what uv.lock names. `--inexact` keeps uv itself in place.
$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Quipu needs Python 3.11 or newer; try: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
	@touch $@

$(VENV)/.run: $(VENV)/.uv pyproject.toml uv.lock
	VIRTUAL_ENV=$(VENV) $(UV) sync --quiet --frozen --inexact --no-default-groups --group model
	@touch $@

$(VENV)/.dev: $(VENV)/.uv pyproject.toml uv.lock
	VIRTUAL_ENV=$(VENV) $(UV) sync --quiet --frozen --inexact
	@touch $@ $(VENV)/.run

demo: $(VENV)/.run
	@$(BIN)/python -m bench.demo "$(DIR)"

# The goldens are indexed on one core meanwhile.
test:
	@$(MAKE) --no-print-directory -j 2 goldens tested

tested: check size
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not large"

# Every operation on a memory of 50 MB, for some minutes.
test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -p no:xdist -m large

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

fix: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The goldens run on the index of this checkout, as a user would have it.
goldens: $(VENV)/.dev
	@bash bench/goldens.sh

bench: $(VENV)/.dev
	$(BIN)/python -m bench speed

# How large the code is: lines, files, and what was chosen by hand.
size: $(VENV)/.dev
	@$(BIN)/python -m bench size

# What each part is worth, taken away one at a time: SETS="talk:kept answers:DIR search:DIR".
ablate: $(VENV)/.dev
	$(BIN)/python -m bench ablate $(SETS)

# Tries to break it: TORTURE="--seed 7 --only kills,files" (python -m bench torture --help).
torture: $(VENV)/.dev
	$(BIN)/python -m bench torture $(TORTURE)

wheel: $(VENV)/.dev
	$(BIN)/python -m build --installer uv

lock: $(VENV)/.uv
	$(UV) lock

clean:
	rm -rf $(VENV) dist
