# Two commands do everything on a fresh Debian or Ubuntu machine: `make demo` and `make test`.
# CMake does the building; this file only strings its steps together. One tree, build/release, holds
# the objects that program, C library, tests and Python module share.
#
#   SETUP=no          never install packages (for systems that are not Debian or Ubuntu)
#   CMAKE_ARGS=...    more arguments for the configure step, e.g. -DCREDENCE_WERROR=ON
#   CTEST_ARGS=...    more arguments for ctest, e.g. "-R Npy"
#   JOBS=n            parallel jobs (default: one per processor)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

SETUP ?= yes
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
CTEST_ARGS ?=
PEERS_ARGS ?=

NINJA = NINJA_STATUS="[%f of %t, %e s] " ninja -j $(JOBS)
CTEST = ctest -j $(JOBS) --output-on-failure --no-tests=error $(CTEST_ARGS)

.PHONY: help demo build test test-all test-release test-slow test-dev test-browser test-onnx test-python \
  test-torch test-spark fuzz python-docs notebooks gallery bench bench-check bench-peers bench-page install deb test-deb format check-format \
  tidy docs paper auto-table clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 16

demo: ## Install what is missing, build, and show the main job on generated data
	@[ -x build/release/credence ] || echo "make demo: installs what is missing, compiles the program" \
	  "(about 3 minutes on 2 processors), then shows the main job on generated data"
	@$(MAKE) --no-print-directory build
	@build/release/credence demo

build: ## Install what is missing and build the program: build/release/credence
	@scripts/setup --if=$(SETUP) build
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_cli

test: ## Install what is missing, build, and run every functional test
	@echo "make test: installs what is missing, compiles program and tests, and runs the tests of library," \
	  "program, report, ONNX and Python: about 12 minutes on 2 processors"
	@$(MAKE) --no-print-directory test-release
	@$(MAKE) --no-print-directory test-python-if-possible
	@echo "make test: done. 'make test-all' runs what takes longer: sanitizers, slow statistics, PyTorch"

test-all: test-slow tidy-if-possible test-dev test-torch-if-possible test-spark-if-possible ## The long tests that 'make test' leaves out

test-slow: ## Statistics over hundreds of repetitions, in the release build
	@$(MAKE) --no-print-directory test-release CREDENCE_STUDY=1 CTEST_ARGS="-L statistical"

test-release: ## The tests of library, program, report and ONNX in the release build
	@scripts/setup --if=$(SETUP) build test
	@scripts/setup --if=$(SETUP) browser || echo "make: the browser tests will be skipped" >&2
	@scripts/setup --if=$(SETUP) onnx || echo "make: the tests in ONNX Runtime will be skipped" >&2
	@scripts/configure release -DCREDENCE_BUILD_TESTS=ON $(CMAKE_ARGS)
	@$(NINJA) -C build/release
	@CREDENCE_STUDY=$(CREDENCE_STUDY) $(CTEST) --test-dir build/release

test-dev: ## Unit, property and command-line tests under address and undefined-behaviour sanitizers
	@scripts/setup --if=$(SETUP) build test
	@scripts/configure dev -DCREDENCE_BUILD_TESTS=ON $(CMAKE_ARGS)
	@$(NINJA) -C build/dev
	@$(CTEST) --test-dir build/dev --label-exclude release-only

test-browser: ## The report in a headless Chromium; pictures of it in build/release/pictures
	@scripts/setup --if=$(SETUP) build browser
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_cli
	@tests/browser/run $(CURDIR)/build/release/credence $(CURDIR)/build/release/pictures

test-onnx: ## Exported models in ONNX Runtime
	@scripts/setup --if=$(SETUP) build onnx
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_cli
	@tests/onnx/run $(CURDIR)/build/release/credence $(CURDIR)/build/venv-onnx

.PHONY: compare-processors
compare-processors: ## Fit every method on SSE2, AVX2, AVX-512, aarch64 (qemu), WebAssembly: the same bits?
	@scripts/setup --if=$(SETUP) build
	@scripts/setup --if=$(SETUP) processors || echo "make: only processors that can be had are compared" >&2
	@scripts/compare_processors $(JOBS)

fuzz: ## Feed random bytes to the readers of .onnx and calibrator files (SECONDS=600 each)
	@scripts/setup --if=$(SETUP) build fuzz
	@JOBS=$(JOBS) scripts/fuzz $(or $(SECONDS),600)

# The wheel is made by the tool that users make it with, from the objects that are there already: it
# is told to work in build/release, and to leave switched on what is built there. (The pip of Debian 12
# knows --config-settings by its long name only.)
BUILT = $(if $(shell grep -s CREDENCE_BUILD_TESTS:BOOL=ON build/release/CMakeCache.txt),ON,OFF)
WHEEL = build/venv/bin/python -m pip --disable-pip-version-check wheel --quiet \
  --no-build-isolation --no-deps --wheel-dir build/wheel \
  $(addprefix --config-settings=,build-dir=build/release cmake.define.CREDENCE_BUILD_CLI=ON \
    cmake.define.CREDENCE_BUILD_TESTS=$(BUILT) $(addprefix cmake.define.,$(patsubst -D%,%,$(CMAKE_ARGS)))) .

build/wheel: build ## (the Python package, installed in build/venv)
	@scripts/setup --if=$(SETUP) build python
	@echo "make: building the Python package"
	@rm -rf build/wheel
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(WHEEL)
	@build/venv/bin/python -m pip $(PIP_WHEEL)
PIP_WHEEL = --disable-pip-version-check install --quiet --no-deps --force-reinstall build/wheel/credence-*.whl
.PHONY: build/wheel test-python-if-possible test-torch-if-possible test-spark-if-possible bench-spark \
  tidy-if-possible

test-python: build build/wheel ## The Python package: build its wheel, install it, run tests, types and style
	@build/venv/bin/ruff check python
	@build/venv/bin/python -m mypy
	@build/venv/bin/python -m pytest $(PYTEST_ARGS)
	@build/venv/bin/python python/docs/make_page.py --check docs/python.md

test-python-if-possible:
	@if scripts/setup --if=$(SETUP) python && [ -x build/venv/bin/python ]; then $(MAKE) --no-print-directory test-python; \
	elif [ "$${CREDENCE_REQUIRE_PYTHON:-}" = 1 ]; then exit 1; \
	else echo "make: the Python tests are skipped" >&2; fi

# PyTorch is large; where it cannot be had, credence.torch is not tested.
test-torch-if-possible:
	@if scripts/setup --if=$(SETUP) torch && [ -x build/venv/bin/python ]; then $(MAKE) --no-print-directory test-torch; \
	else echo "make: PyTorch cannot be installed here; credence.torch is not tested" >&2; fi

python-docs: build/wheel ## Rewrite docs/python.md from the docstrings
	@build/venv/bin/python python/docs/make_page.py docs/python.md

test-torch: build/wheel ## credence.torch: collecting logits, calibrated modules; with Debian's PyTorch
	@scripts/setup --if=$(SETUP) torch
	@scripts/venv build/venv-torch python/requirements-torch.txt
	@build/venv-torch/bin/pip $(PIP_WHEEL) || build/venv-torch/bin/pip install --quiet .
	@build/venv-torch/bin/python -c 'import torch, transformers' # without them every test would be skipped
	@build/venv-torch/bin/python -m pytest python/tests/test_fit.py -k torch
	@build/venv-torch/bin/python -m pytest python/tests/test_collect.py python/tests/test_examples.py \
	  python/tests/test_torch_module.py

# Both versions on a cluster of this machine, with few rows to save time, and methods that need many
# passes in one of the divisions. For the long test of one version:
#   CREDENCE_SPARK_ROWS=1000000 CREDENCE_SPARK_SLOW=1 build/venv-spark4/bin/python -m pytest python/tests_spark
test-spark: build/wheel ## credence.spark: a master and two workers on this machine, Spark 3.5 and 4
	@scripts/setup --if=$(SETUP) spark
	@for version in spark35:20000 spark4:50000; do \
	  python=build/venv-$${version%:*}/bin/python; \
	  $$python -m pip $(PIP_WHEEL); \
	  CREDENCE_SPARK_ROWS=$${version#*:} $$python -m pytest python/tests_spark $(PYTEST_ARGS); \
	done

# Spark is large; where it cannot be had, credence.spark is not tested.
test-spark-if-possible:
	@if scripts/setup --if=$(SETUP) python spark && [ -x build/venv-spark4/bin/python ]; then \
	  $(MAKE) --no-print-directory test-spark; \
	elif [ "$${CREDENCE_REQUIRE_SPARK:-}" = 1 ]; then exit 1; \
	else echo "make: Spark cannot be installed here; credence.spark is not tested" >&2; fi

bench-spark: build/wheel ## What a pass costs beside a count of the same columns in Spark
	@scripts/setup --if=$(SETUP) spark
	@for version in spark35 spark4; do \
	  build/venv-$$version/bin/python -m pip $(PIP_WHEEL); \
	  build/venv-$$version/bin/python bench/spark.py $(BENCH_ARGS); \
	done

notebooks: build build/wheel ## Run the notebooks of docs/notebooks again and store what they show
	@build/venv/bin/python scripts/notebooks

gallery: build ## Draw every kind of figure from generated data into docs/gallery
	@scripts/gallery build/release/credence docs/gallery

bench: ## Build the benchmarks and run them (one thread, ratios to a plain sum)
	@scripts/setup --if=$(SETUP) build bench
	@scripts/configure bench $(CMAKE_ARGS)
	@$(NINJA) -C build/bench all benchmarks
	@scripts/bench build/bench

bench-check: ## Fail where this tree is slower than the last tag, or BASE=COMMIT, by over 10 % (BENCH_ARGS="--only counts")
	@scripts/setup --if=$(SETUP) build bench-check
	@scripts/bench_check --jobs $(JOBS) $(if $(BASE),--base $(BASE)) $(BENCH_ARGS)

bench-peers: build/venv-peers ## Credence beside SciPy, scikit-learn, PyTorch, netcal, ... (PEERS_ARGS=--quick)
	@build/venv-peers/bin/python bench/peers.py $(PEERS_ARGS)

bench-page: build/venv-peers ## The same on a quiet machine, into the tables of docs/benchmarks.md; about half an hour
	@build/venv-peers/bin/python bench/peers.py --limit 30 --page docs/benchmarks.md -o build/peers.txt $(PEERS_ARGS)

build/venv-peers: build/wheel ## (the tools beside Credence, in an environment of their own)
	@scripts/setup --if=$(SETUP) torch
	@scripts/venv build/venv-peers bench/requirements.txt bench/requirements-no-deps.txt
	@build/venv-peers/bin/pip $(PIP_WHEEL) || build/venv-peers/bin/pip install --quiet .
.PHONY: build/venv-peers

install: build ## Install program, library, headers and CMake package (PREFIX=/usr/local)
	@cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

deb: ## Make the Debian packages: build/deb/packages
	@scripts/setup --if=$(SETUP) build deb
	@cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
	  -DCREDENCE_DEB=ON -DCREDENCE_BUILD_TESTS=OFF \
	  -DCREDENCE_ZSH_DIR=share/zsh/vendor-completions $(CMAKE_ARGS)
	@$(NINJA) -C build/deb
	@rm -rf build/deb/packages
	@cd build/deb && cpack -G DEB -B packages
	@rm -rf build/deb/packages/_CPack_Packages
	@ls build/deb/packages

test-deb: deb ## Install, use and remove the packages in a fresh Debian 12 (needs root)
	@scripts/setup --if=$(SETUP) test-deb
	@scripts/test_deb build/deb/packages

format: ## Rewrite the C++ sources in the house style
	@scripts/setup --if=$(SETUP) format
	@scripts/check_format --fix

check-format: ## Fail when a C++ source is not in the house style
	@scripts/setup --if=$(SETUP) format
	@scripts/check_format

tidy: ## Look for likely mistakes in the library with clang-tidy
	@scripts/setup --if=$(SETUP) build tidy
	@scripts/configure --keep release $(CMAKE_ARGS)
	@scripts/tidy build/release $(JOBS)

tidy-if-possible:
	@if scripts/setup --if=$(SETUP) tidy && command -v clang-tidy-14 >/dev/null; then $(MAKE) --no-print-directory tidy; \
	else echo "make: clang-tidy-14 cannot be installed here; the sources are not searched for mistakes" >&2; fi

docs: ## Rewrite the lists in README.md and docs/ that come from the library's own tables
	@scripts/setup --if=$(SETUP) build test
	@scripts/configure release -DCREDENCE_BUILD_TESTS=ON $(CMAKE_ARGS)
	@$(NINJA) -C build/release architecture_tests cli_tests credence_cli
	@cmake -DPROGRAM=build/release/credence -DPAGE=docs/methods.md -DUPDATE=ON \
	  -P tests/architecture/check_methods_page.cmake
	@CREDENCE_UPDATE_DOCS=1 build/release/tests/architecture_tests --gtest_filter='Docs.*'
	@CREDENCE_UPDATE_DOCS=1 build/release/tests/cli_tests --gtest_filter='Help.PageInTheDocs*'

paper: ## Measure the paper's claims on real data again (CREDENCE_REAL_DATA=DIR) and rewrite docs/paper.md
	@test -d "$(CREDENCE_REAL_DATA)/data" || \
	  { echo "make paper needs CREDENCE_REAL_DATA=DIR with data/<set>/ in it" >&2; exit 1; }
	@scripts/setup --if=$(SETUP) build
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_paper
	@build/release/tools/paper/credence_paper "$(CREDENCE_REAL_DATA)" docs/paper.md

auto-table: ## Measure auto on real data again (CREDENCE_REAL_DATA=DIR) and rewrite the tables of docs/auto.md
	@test -d "$(CREDENCE_REAL_DATA)/data" || \
	  { echo "make auto-table needs CREDENCE_REAL_DATA=DIR with data/<set>/ in it" >&2; exit 1; }
	@scripts/setup --if=$(SETUP) build
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_auto_table
	@build/release/tools/auto/credence_auto_table "$(CREDENCE_REAL_DATA)" docs/auto.md

second-order-table: ## Measure the second order on real data again (CREDENCE_REAL_DATA=DIR), docs/second-order.md
	@test -d "$(CREDENCE_REAL_DATA)/data" || \
	  { echo "make second-order-table needs CREDENCE_REAL_DATA=DIR with data/<set>/ in it" >&2; exit 1; }
	@scripts/setup --if=$(SETUP) build python
	@scripts/configure --keep release $(CMAKE_ARGS)
	@$(NINJA) -C build/release credence_cli
	@build/venv/bin/python tools/second_order/measure.py build/release/credence "$(CREDENCE_REAL_DATA)/data" \
	  docs/second-order.md

clean: ## Remove everything that was built
	@rm -rf build
