# Everything installs into .venv, from versions pinned in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: setup demo test quick lint docs bench selfcheck faults kills lowest resolve dist-check clean browser
.DEFAULT_GOAL := setup

# What `make demo` needs: it reads code and draws charts.
setup: $(VENV)/.core

$(VENV)/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --editable '.[code,png]'
	touch $@

# Everything: the optional models, and what tests, lint and benchmarks need.
$(VENV)/.dev: $(VENV)/.core
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# The peers that only benchmarks run beside ours.
$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install --quiet --constraint constraints.txt --editable '.[bench]'
	touch $@

# What builds, resolves and checks a release.
$(VENV)/.release: $(VENV)/.core
	$(PIP) install --quiet --constraint constraints.txt --editable '.[release]'
	touch $@

demo: setup
	$(BIN)/tellapart demo

# A worker a core, each with one thread, and a file of tests a turn, the slowest files first. The tests start many
# processes, each of which would compile all modules anew if they were not kept as bytecode.
CORES ?= $(shell nproc)
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 NUMBA_NUM_THREADS=1 \
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev browser
	$(PYTEST)

# For while one works, in a minute: each part's decisions, figures, readers, one run of each suite and the imports;
# no process, browser, simulation, command line or page, and no file of tests that takes more than a second or two
# (tests/slow_files.txt).
quick: $(VENV)/.dev
	$(PYTEST) -m "not slow and not process and not browser"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation as pages, in site/index.html.
docs: $(VENV)/.dev
	$(BIN)/mkdocs build --quiet --strict

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/extraction.py
	$(BIN)/python benchmarks/bundles.py
	$(BIN)/python benchmarks/streaming.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/peers_scale.py
	$(BIN)/python benchmarks/selection.py
	$(BIN)/python benchmarks/retrieval.py
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/peers_compare.py
	$(BIN)/python benchmarks/policy.py
	$(BIN)/python benchmarks/item_choice.py
	$(BIN)/python benchmarks/until_separated.py
	$(BIN)/python benchmarks/llm.py
	$(BIN)/python benchmarks/codesearch.py
	$(BIN)/python benchmarks/longcontext.py
	$(BIN)/python benchmarks/view.py

# Comparisons against worlds whose truth is known: mistakes, power and advice, in about ten minutes; then random
# tables, 100,000 of which (`make selfcheck RANDOM=100000`) take another ten.
RANDOM ?= 5000
selfcheck: $(VENV)/.core
	$(BIN)/python benchmarks/selfcheck.py
	$(BIN)/python benchmarks/promises.py
	$(BIN)/python benchmarks/failures.py
	$(BIN)/python benchmarks/labels.py
	$(BIN)/python benchmarks/stopping.py
	$(BIN)/python benchmarks/random_tables.py $(RANDOM)

# Damaged files of every form that a command reads, counted by what came of them. One case again, with its files:
# `.venv/bin/python benchmarks/faults.py --seed 1 --case 'FORM:NUMBER'`.
CASES ?= 20000
SEED ?= 1
faults: $(VENV)/.dev
	$(BIN)/python benchmarks/patterns.py
	$(BIN)/python benchmarks/faults.py --planted --cases $(CASES) --seed $(SEED)

# Runs of five commands that are killed at random moments, KILLS each: nothing answered is asked again, and the same
# tables come out.
KILLS ?= 20
kills: $(VENV)/.dev
	$(BIN)/python benchmarks/kills.py --kills $(KILLS) --seed $(SEED)

# The oldest versions that pyproject.toml allows, in a virtual environment of their own, with a click of their time.
LOWEST := build/lowest
ORACLES := evalica hypothesis pandas pyarrow statsmodels
LOWEST_TESTS := tests/test_api.py tests/core tests/files tests/audit tests/compare tests/report tests/extraction tests/bundles tests/contrastive
lowest: $(VENV)/.release
	mkdir -p build
	echo 'click<8.5' > build/of-their-time.txt
	$(BIN)/uv pip compile --quiet --resolution lowest-direct --python $(BIN)/python --extra code --extra png --extra trec \
		--constraint build/of-their-time.txt pyproject.toml --output-file build/lowest.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST) --requirement build/lowest.txt $(ORACLES) pytest pytest-xdist
	$(BIN)/uv pip install --quiet --python $(LOWEST) --no-deps --editable .
	OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 NUMBA_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n $(CORES) --dist loadfile \
		-m "not slow and not process and not browser" $(LOWEST_TESTS)

# Beside what people have installed, nothing is downgraded: a table, for each Python.
resolve: $(VENV)/.release
	$(BIN)/python benchmarks/environments.py

# What would be uploaded: its metadata, its contents, and its use away from the repository.
dist-check: $(VENV)/.release
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python benchmarks/installed.py dist/*.whl

# The pages are tested in a real Chromium. Where there is none, Debian's is installed if we may.
browser:
	@command -v chromium >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	else echo "no chromium on PATH: the page tests will be skipped (Debian: apt-get install chromium)"; fi

clean:
	rm -rf $(VENV) build dist site
