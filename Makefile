# The same verbs by hand and in CI.
CARGO ?= cargo
# The tree `make run` hashes, and the processes' parallelism.
TREE ?= /usr/lib
JOBS ?= 0

.PHONY: run test lint bench bench-commands bench-columns study study-quick docs install-test-tools test-engine test-backends test-command test-python test-bench test-examples test-study

run:            ## build, hash every file under TREE, check the result with sha256sum, print the speeds
	$(CARGO) build --release --package manyhash-cli
	python3 scripts/run.py --manyhash target/release/manyhash --jobs $(JOBS) $(TREE)

test: install-test-tools test-engine test-backends test-command test-python test-bench test-examples test-study ## everything

install-test-tools: ## what the tests compare with, from the system's packages
	scripts/install-test-tools

# Python's tools that the tests compare with.
TEST_PYTHON = target/test-python
$(TEST_PYTHON)/installed: crates/manyhash-cli/tests/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

test-engine: $(TEST_PYTHON)/installed
	PATH=$(CURDIR)/$(TEST_PYTHON)/bin:$$PATH $(CARGO) test --workspace --all-features

test-backends:  ## the vectors once more, forced onto each backend this CPU has
	scripts/test-backends

test-command: ## a first user's commands, as the README has them
	$(CARGO) build --release --package manyhash-cli
	python3 scripts/run.py --manyhash target/release/manyhash --limit-bytes 300000000 /usr/lib

# The Python package with the engines that it is tested with.
TEST_PACKAGE = target/test-python-package
$(TEST_PACKAGE)/installed: crates/manyhash-python/tests/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

test-python: $(TEST_PACKAGE)/installed ## the Python package, built from source as a user would
	$(TEST_PACKAGE)/bin/pip install --quiet --no-deps --force-reinstall .
	cd crates/manyhash-python && $(CURDIR)/$(TEST_PACKAGE)/bin/python -m pytest -q

test-bench: bench/.venv/installed ## the benchmarks work: every digest compared, no figure asserted
	cd bench && PYTHON=.venv/bin/python $(CARGO) test
	cd bench/measure && $(CARGO) test --target-dir ../target
	$(CARGO) build --release --package manyhash-cli
	python3 bench/commands.py --manyhash target/release/manyhash --set diverse --runs 1

test-examples: bench/.venv/installed ## programs that use the library, end to end
	cd examples/signed-http && PYTHON=../../bench/.venv/bin/python $(CARGO) test

TEST_STUDY = target/test-study
test-study: study/.venv/installed ## the study works: digests compared, every figure made, no time asserted
	cd study && $(CARGO) test --release
	cd study && $(CARGO) build --release
	cd study && .venv/bin/python -m unittest discover --start-directory tests
	$(call make-study,$(CURDIR)/$(TEST_STUDY),--quick)

bench/.venv/installed study/.venv/installed: %/.venv/installed: %/requirements.txt
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --requirement $<
	touch $@

lint:
	$(CARGO) fmt --all --check
	cd bench && $(CARGO) fmt --check
	cd bench/measure && $(CARGO) fmt --check
	cd study && $(CARGO) fmt --check && $(CARGO) clippy --release --all-targets -- -D warnings
	cd examples/signed-http && $(CARGO) fmt --check && $(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --all-features
	scripts/check-sizes

bench: bench/.venv/installed ## side by side with other libraries, three quarters of an hour; results and pictures: see bench/METHODOLOGY.md
	cd bench && $(CARGO) run --release -- --json results.json
	cd bench && $(CARGO) run --release -- curves --json curves.json
	cd bench && $(CARGO) run --release -- trees --json trees.json
	cd bench && $(CARGO) run --release -- hmac --json hmac.json
	cd bench && $(CARGO) run --release -- jobs --json jobs.json
	cd bench && $(CARGO) run --release -- tls-records --json tls-records.json
	cd bench && $(CARGO) run --release -- batcher --json batcher.json
	cd bench && .venv/bin/python pictures.py results.json curves.json trees.json hmac.json tls-records.json

bench-commands: ## whole commands on files, side by side with sha256sum, openssl, b3sum, fclones and others: see bench/METHODOLOGY.md
	$(CARGO) build --release --package manyhash-cli
	python3 bench/commands.py --manyhash target/release/manyhash

# The figures that `make study` makes ("2012-2 2013"; all, if none is named), and other options of manyhash-study (--scratch, --pin).
FIGURES ?=
STUDY_OPTIONS ?=
# Only a whole run replaces study.json and report.html, because it takes long.
STUDY_NAME = $(if $(FIGURES),part,study)

study: study/.venv/installed ## the tables and figures of the three papers, measured here, in about ten minutes; FIGURES="2012-2 2013": only these; see study/README.md
	$(call make-study,$(CURDIR)/study/$(STUDY_NAME),)

study-quick: study/.venv/installed ## all of them in less than two minutes, to see that it works; the values mean nothing
	$(call make-study,$(CURDIR)/study/quick,--quick)

# Makes $(1).json, with the options $(2), and its page. If a figure failed, the page is made, says why, and then this fails too. An interrupted
# run writes no values, and those of the run before stay.
define make-study
	cd study && $(CARGO) build --release
	mkdir -p "$(dir $(1))" && rm -f "$(1).new.json"
	cd study && code=0; \
	$(CARGO) run --quiet --release -- $(2) --json "$(1).new.json" $(STUDY_OPTIONS) $(FIGURES) || code=$$?; \
	[ ! -e "$(1).new.json" ] || { mv "$(1).new.json" "$(1).json" && .venv/bin/python report.py "$(1).json"; } || exit; \
	exit $$code
endef

bench-columns: $(TEST_PACKAGE)/installed ## the Python package on columns, side by side with hashlib, pandas, Polars, DuckDB and DataFusion, three minutes
	$(TEST_PACKAGE)/bin/pip install --quiet --requirement crates/manyhash-python/bench/requirements.txt
	$(TEST_PACKAGE)/bin/pip install --quiet --no-deps --force-reinstall .
	cd crates/manyhash-python/bench && $(CURDIR)/$(TEST_PACKAGE)/bin/python columns.py --json columns.json
	cd crates/manyhash-python/bench && $(CURDIR)/$(TEST_PACKAGE)/bin/python pictures.py columns.json

docs:
	$(CARGO) doc --no-deps --package manyhash --all-features --open
