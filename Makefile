# Everything happens in .venv; the machine needs Python 3.11 or newer, make and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NATIVE := CMakeLists.txt $(shell find tvlb sim_bridge -name '*.cpp' -o -name '*.hpp' -o -name CMakeLists.txt)

.PHONY: table test test-slow test-all lint builds lock clean

table: $(READY) ## Compute the T-VLB table of dfly(4,8,4,9) and print its summary
	mkdir -p build
	$(BIN)/tvlb table 4,8,4,9 -o build/dfly-4-8-4-9.parquet

# All start many processes, none of which should compile the package anew.
table test test-slow test-all: export PYTHONDONTWRITEBYTECODE =
# A third of their time they wait for those: three at once are right for two cores.
PYTEST := $(BIN)/python -m pytest --numprocesses 3 --no-loadscope-reorder

test: $(READY) ## Run the test suite but for what is slow, in the order of tests/conftest.py
	$(PYTEST) -m 'not slow'

test-slow: $(READY) ## Run what `make test` leaves out
	$(PYTEST) -m slow

test-all: $(READY) ## Run both at once, as .ci/run does
	$(PYTEST)

lint: $(READY) ## Style, types and the direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --project .
	$(BIN)/lint-imports

builds: $(READY) ## Test the native code with conservation checks, under sanitizers, and at -O1 against -O3
	bench/builds.sh $(BIN)/python

lock: $(READY) ## Refresh the pinned and hashed dependency list
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
		--no-emit-index-url --no-emit-trusted-host --no-emit-options \
		--extra build --extra cluster --extra dev --extra postgresql --output-file requirements.txt pyproject.toml
	cp requirements.txt requirements-service.txt # the same versions, but for what is not needed
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
		--no-emit-index-url --no-emit-trusted-host --no-emit-options \
		--extra postgresql --output-file requirements-service.txt pyproject.toml

# Without bytecode, which takes as long as all the rest: most modules are never imported.
$(VENV)/.dependencies: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

$(READY): $(VENV)/.dependencies pyproject.toml $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

clean:
	rm -rf $(VENV) build
