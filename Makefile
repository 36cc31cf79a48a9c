# The same verbs by hand and in CI.
CARGO ?= cargo
# The tree `make run` hashes, and the processes' parallelism.
TREE ?= /usr/lib
JOBS ?= 0
# Where `make install` puts what it builds, and a folder that stands for / meanwhile.
PREFIX ?= /usr/local
DESTDIR ?=

# What `make test` is made of, in this order. Each part says how many minutes it took.
TESTS = install-test-tools test-rust test-backends test-command test-fuzz test-python test-bench test-study

.PHONY: run install uninstall wheels release-check test lint lint-rust lint-python test-environments test-aarch64 check-targets test-no-std npm test-wasm test-python-oldest test-examples test-lake-on-s3 prove soak fuzz sanitize audit bench bench-grid bench-commands bench-columns study study-quick study-results docs site $(TESTS)

run:            ## build, hash every file under TREE, check the result with sha256sum, print the speeds
	$(CARGO) build --release --package manyhash-cli
	python3 scripts/run.py --manyhash target/release/manyhash --jobs $(JOBS) $(TREE)

install:        ## the command, its manual pages and completions, the C library: below PREFIX=/usr/local; DESTDIR stands for /
	$(CARGO) build --release --package manyhash-cli --package manyhash-c
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install

uninstall:      ## take them away
	PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) scripts/install uninstall

wheels:         ## the Python package's wheel and source archive, checked and tried; in target/wheels, a quarter of an hour
	scripts/wheels

# What the archives of a release are made for, one or more: no C library is needed where they run.
STATIC = $(shell uname -m)-unknown-linux-musl

# What wheels of a release can be made here: those for musl and for Python without its lock want a target of Rust and that Python.
WHEELS = glibc $(if $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(shell uname -m)-unknown-linux-musl),musl) \
	$(if $(shell command -v python3.14t),free-threaded)

release-check:  ## all that a release would make, made and checked here; publishes nothing
	scripts/set-version --check
	scripts/package-crates
	$(CARGO) build --release --package manyhash-cli --package manyhash-c
	static=""; for target in $(STATIC); do \
		if [ -d "$$(rustc --print sysroot)/lib/rustlib/$$target" ]; then static="$$static $$target"; else echo "not static: rustup target add $$target"; fi; \
	done; \
	if [ -n "$$static" ]; then scripts/static $$static; fi && scripts/release $$static
	scripts/check-packaging
	if command -v lintian >/dev/null; then lintian --fail-on error,warning target/dist/*.deb; else echo "SKIPPED: no lintian"; fi
	scripts/wheels $(WHEELS)

test:           ## everything
	MAKE="$(MAKE)" scripts/timed-parts $(TESTS)

install-test-tools: ## what the tests compare with, from the system's packages
	scripts/install-test-tools

# One folder, profile and set of features for all parts, so that the engine is compiled once and not for each of them. `cargo build` would have
# other features: those that tests alone ask of a dependency are missing there.
ALL = --workspace --all-features
BUILT = target/debug

# Python with what the tests compare with, and with what draws and reports; and with the engines that the Python package is tested with.
TEST_PYTHON = target/test-python
TEST_PACKAGE = target/test-python-package
TEST_REQUIREMENTS = scripts/requirements.txt crates/manyhash-cli/tests/requirements.txt bench/requirements.txt study/requirements.txt
$(TEST_PYTHON)/installed: $(TEST_REQUIREMENTS)
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet $(TEST_REQUIREMENTS:%=--requirement %)
	touch $@

test-environments: $(TEST_PYTHON)/installed $(TEST_PACKAGE)/installed ## what the tests compare with, from Python's packages

WITH_PYTHON = PATH=$(CURDIR)/$(TEST_PYTHON)/bin:$$PATH PYTHON=$(CURDIR)/$(TEST_PYTHON)/bin/python

# Two tests a CPU at once: those of the command wait for its processes a third of the time.
test-rust: $(TEST_PYTHON)/installed ## every test in Rust: the engine, Arrow, the command, the benchmarks, the study, the examples
	$(WITH_PYTHON) $(CARGO) test $(ALL) --no-run
	$(WITH_PYTHON) RUST_TEST_THREADS=$$((2 * $$(getconf _NPROCESSORS_ONLN))) $(CARGO) test $(ALL)

test-backends:  ## the vectors once more, forced onto each backend this CPU has
	scripts/test-backends

test-aarch64: $(TEST_PYTHON)/installed ## AArch64 in an emulator, by hand: the engine, the command, programs in C; on Debian, it installs a compiler for it
	scripts/install-test-tools aarch64
	scripts/test-aarch64
	$(WITH_PYTHON) scripts/test-aarch64 command

EXAMPLES = $(CURDIR)/target/test-examples
test-examples: ## the examples in C++ and Go on the library of the release profile, by hand; `make test` has them on that of its own
	$(MAKE) install PREFIX=$(EXAMPLES)/installed DESTDIR=
	scripts/test-examples $(EXAMPLES)/installed $(EXAMPLES)

check-targets: ## other systems and CPUs, by hand: tested in emulators or compiled, as far as this machine can
	scripts/check-targets

test-no-std: ## the engine without the standard library, on this machine, by hand
	cd examples/no-std && CARGO_TARGET_DIR=$(CURDIR)/target/test-no-std $(CARGO) test

npm:            ## the package for browsers and Node.js, and the page that hashes files: in target/npm and target/page
	scripts/npm-package

# TypeScript's compiler, if the types are to be tested too.
TSC ?=

test-wasm: npm  ## WebAssembly, by hand: the engine and the package in Node.js, the page in Chromium
	TSC=$(TSC) scripts/test-wasm

test-command: ## a first user's commands, as the README and the guide have them
	$(CARGO) test $(ALL) --no-run
	python3 docs/test_guide.py --manyhash $(BUILT)/manyhash
	docs/pictures/record.py --manyhash $(BUILT)/manyhash --check
	docs/pictures/speed.py --check
	python3 scripts/run.py --manyhash $(BUILT)/manyhash --limit-bytes 300000000 /usr/lib

# Seconds that `make test` gives each fuzz target, and `make fuzz` each target or the one that TARGET names: see fuzz/README.md.
SMOKE ?= 5
TIME ?= 60
TARGET ?=

test-fuzz:      ## every fuzz target for a short time, two at once, on seeds changed at random: libFuzzer would want a build of its own
	MANYHASH_FUZZ_SECONDS=$(SMOKE) $(CARGO) test $(ALL) --lib -- seeds_that_are_changed_at_random --nocapture

fuzz:           ## by libFuzzer: every fuzz target in turn, TIME seconds each; TARGET=columns: only that one
	scripts/fuzz $(TIME) $(TARGET)

# How long, and words in the names of the attacks; all, if there are none.
HOURS ?= 1
ATTACKS ?=

soak:           ## the attacks of `make test` at length, with new seeds and larger numbers, for HOURS=8 or 0.5; ATTACKS="kills errors": only those
	scripts/soak $(HOURS) $(ATTACKS)

$(TEST_PACKAGE)/installed: crates/manyhash-python/tests/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

# In the folder and profile of the other tests, with a user's features: what the benchmarks ask of dependencies must not be there. So the
# engine is compiled once more, and sooner if it need not be fast, on all CPUs at once.
# Spark's tests, which start processes of their own, run beside the others.
PYTEST = cd crates/manyhash-python && $(CURDIR)/$(TEST_PACKAGE)/bin/python -m pytest -q
test-python: $(TEST_PACKAGE)/installed ## the Python package, built from source as a user would
	$(TEST_PACKAGE)/bin/pip install --quiet --no-deps --force-reinstall \
		--config-settings="build-args=--profile dev --config profile.dev.package.manyhash.opt-level=2 --config profile.dev.package.manyhash.codegen-units=16" .
	($(PYTEST) tests/spark) & spark=$$!; ($(PYTEST) --ignore tests/spark) && wait $$spark || { wait $$spark; exit 1; }
	python3 docs/test_guide.py --manyhash $(TEST_PACKAGE)/bin/manyhash --python $(TEST_PACKAGE)/bin/python README.md docs/guide/data-lake.md docs/guide/server.md

# The adapters and the Spark part with the oldest engines that the extras of the package allow.
OLDEST = target/test-python-oldest
$(OLDEST)/installed: crates/manyhash-python/tests/requirements-oldest.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

test-python-oldest: $(OLDEST)/installed ## the Python package with engines of two years ago, by hand
	$(OLDEST)/bin/pip install --quiet --no-deps --force-reinstall \
		--config-settings="build-args=--profile dev" .
	cd crates/manyhash-python && $(CURDIR)/$(OLDEST)/bin/python -m pytest -q tests/adapters/test_versions.py tests/spark/test_functions.py \
		tests/spark/test_manifest.py tests/core/test_hmac.py tests/core/test_any_length.py

# Objects of the lake.
OBJECTS ?= 1000
test-lake-on-s3: test-python ## Spark over S3A on a server that Maven brings, and a table that moved, by hand: 750 MB are downloaded
	scripts/test-lake-on-s3 --python $(TEST_PACKAGE)/bin/python --manyhash $(TEST_PACKAGE)/bin/manyhash --objects $(OBJECTS)

test-bench: $(TEST_PYTHON)/installed ## whole commands are compared on files, every digest, no figure asserted
	$(CARGO) test $(ALL) --no-run
	$(TEST_PYTHON)/bin/python -m unittest discover --start-directory bench/tests
	$(TEST_PYTHON)/bin/python vectors/call_path.py --check $(BUILT)/manyhash-bench
	$(TEST_PYTHON)/bin/python bench/commands.py --manyhash $(BUILT)/manyhash --set diverse --runs 1

TEST_STUDY = target/test-study
test-study: $(TEST_PYTHON)/installed ## the study works: digests compared, every figure made, no time asserted
	$(CARGO) test $(ALL) --no-run
	cd study && MANYHASH_STUDY=$(CURDIR)/$(BUILT)/manyhash-study $(CURDIR)/$(TEST_PYTHON)/bin/python -m unittest discover --start-directory tests
	$(call make-study,$(CURDIR)/$(TEST_STUDY),$(CURDIR)/$(BUILT)/manyhash-study,$(CURDIR)/$(TEST_PYTHON)/bin/python,--quick)

bench/.venv/installed study/.venv/installed: %/.venv/installed: %/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

# The engine must compile for CPUs of another kind, too: code that is there for this kind alone shows nowhere else.
OTHER_CPU = $(if $(filter aarch64 arm64,$(shell uname -m)),x86_64,aarch64)-unknown-linux-gnu

lint: lint-rust lint-python

lint-rust:
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(ALL) --all-targets -- -D warnings
	$(CARGO) clippy --package manyhash --no-default-features -- -D warnings
	if timeout 120 rustup target add $(OTHER_CPU) 2> /dev/null || [ -d "$$(rustc --print sysroot)/lib/rustlib/$(OTHER_CPU)" ]; \
	then $(CARGO) clippy --package manyhash --all-features --target $(OTHER_CPU) -- -D warnings; \
	else echo "SKIPPED: the engine for another CPU: no standard library of $(OTHER_CPU)"; fi
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --all-features
	scripts/check-sizes
	scripts/set-version --check
	scripts/check-links
	scripts/python_reference.py

# Names that nothing defines, and what is imported in vain.
lint-python: $(TEST_PYTHON)/installed
	$(TEST_PYTHON)/bin/ruff check --quiet --isolated --no-cache --select F --ignore F403,F405 $$(git ls-files '*.py') $$(git grep -lE '^#!.*python' scripts)

# Parts of names ("sha256/avx2 sha-ni"); all, if none is named. FAULTS: of each kind, in each kernel that is proved.
KERNELS ?=
FAULTS ?= 0

prove:          ## the machine code of the release profile is the standards', for all messages and states: every kernel, some minutes after its build
	$(CARGO) run --release --package manyhash-prove -- --faults $(FAULTS) $(KERNELS)

sanitize:       ## tests under AddressSanitizer and ThreadSanitizer, by hand: they need nightly Rust and builds of their own
	scripts/sanitize

audit:          ## licences, sources and known vulnerabilities of all dependencies, by hand: it needs cargo-deny and the network
	scripts/audit

# Builds the benchmarks, and has the program read from the disk: bench/METHODOLOGY.md, Noise.
define build-bench
$(CARGO) build --release --package manyhash-bench
sync
-dd if=target/release/manyhash-bench iflag=nocache count=0 2> /dev/null
endef

bench: bench/.venv/installed ## side by side with other libraries, fifty minutes; results and pictures: see bench/METHODOLOGY.md
	$(build-bench)
	cd bench && $(CARGO) run --release -- --json results.json
	cd bench && $(CARGO) run --release -- curves --json curves.json
	cd bench && $(CARGO) run --release -- trees --json trees.json
	cd bench && $(CARGO) run --release -- hmac --json hmac.json
	cd bench && $(CARGO) run --release -- jobs --json jobs.json
	cd bench && $(CARGO) run --release -- tls-records --json tls-records.json
	cd bench && $(CARGO) run --release -- batcher --json batcher.json
	cd bench && $(CARGO) run --release -- grid --quick --json grid.json
	cd bench && .venv/bin/python pictures.py results.json curves.json trees.json hmac.json tls-records.json grid.json

bench-grid: bench/.venv/installed ## the whole grid of lengths and numbers of messages beside other libraries, fifty minutes
	$(build-bench)
	cd bench && $(CARGO) run --release -- grid --json grid.json
	cd bench && .venv/bin/python pictures.py grid.json

bench-commands: ## whole commands on files, side by side with sha256sum, openssl, b3sum, fclones and others: see bench/METHODOLOGY.md
	$(CARGO) build --release --package manyhash-cli
	python3 bench/commands.py --manyhash target/release/manyhash

# The figures that `make study` makes ("2012-2 2013"; all, if none is named), and other options of manyhash-study (--scratch, --pin).
FIGURES ?=
STUDY_OPTIONS ?=
# Only a whole run replaces study.json and report.html, because it takes long.
STUDY_NAME = $(if $(FIGURES),part,study)

study: study/.venv/installed ## the tables and figures of the three papers, measured here, in about ten minutes; FIGURES="2012-2 2013": only these; see study/README.md
	$(CARGO) build --release --package manyhash-study
	$(call make-study,$(CURDIR)/study/$(STUDY_NAME),$(CURDIR)/target/release/manyhash-study,.venv/bin/python,)

study-quick: study/.venv/installed ## all of them in less than two minutes, to see that it works; the values mean nothing
	$(CARGO) build --release --package manyhash-study
	$(call make-study,$(CURDIR)/study/quick,$(CURDIR)/target/release/manyhash-study,.venv/bin/python,--quick)

# The name of the machine in study/results.
MACHINE ?=
study-results: study ## a whole run that is kept: study/results/MACHINE.json, its page, and the table of study/README.md
	test -n "$(MACHINE)" && mkdir -p study/results && cp study/study.json study/results/$(MACHINE).json && cp study/report.html study/results/$(MACHINE).html
	cd study && MANYHASH_RECORD_RESULTS=1 .venv/bin/python tests/test_results.py

# Makes $(1).json by the program $(2) with the options $(4), and its page by the Python $(3). If a figure failed, the page is made, says why,
# and then this fails too. An interrupted run writes no values, and those of the run before stay.
define make-study
	mkdir -p "$(dir $(1))" && rm -f "$(1).new.json"
	cd study && code=0; \
	$(2) $(4) --json "$(1).new.json" $(STUDY_OPTIONS) $(FIGURES) || code=$$?; \
	[ ! -e "$(1).new.json" ] || { mv "$(1).new.json" "$(1).json" && $(3) report.py "$(1).json"; } || exit; \
	exit $$code
endef

bench-columns: $(TEST_PACKAGE)/installed ## the Python package on columns, side by side with hashlib, pandas, Polars, DuckDB and DataFusion, five minutes
	$(TEST_PACKAGE)/bin/pip install --quiet --requirement crates/manyhash-python/bench/requirements.txt
	$(TEST_PACKAGE)/bin/pip install --quiet --no-deps --force-reinstall .
	cd crates/manyhash-python/bench && $(CURDIR)/$(TEST_PACKAGE)/bin/python columns.py --json columns.json
	cd crates/manyhash-python/bench && $(CURDIR)/$(TEST_PACKAGE)/bin/python pictures.py columns.json
	cd crates/manyhash-python/bench && $(CURDIR)/$(TEST_PACKAGE)/bin/python ragged_columns.py --json ragged_columns.json

docs:
	$(CARGO) doc --no-deps --package manyhash --all-features --open

SITE = target/site-venv
$(SITE)/installed: docs/site/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

site: $(SITE)/installed ## the documentation site, in target/site, to be read from the disk or served; needs no network but for the first pip
	$(CARGO) build --release --package manyhash-cli
	scripts/site --manyhash target/release/manyhash --mkdocs $(SITE)/bin/mkdocs
