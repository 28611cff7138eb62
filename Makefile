# Development tasks of Siskin. `make help` lists the targets.

CARGO ?= cargo
# cargo-nextest is used if it is installed; it is optional.
# No target but `package` selects packages. So dependencies have the features of the whole workspace
# in every step, and each step reuses the build of the step before.
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

.DEFAULT_GOAL := help
.PHONY: help run demo test embedding package soak attack fuzz bench lint layers

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

# The unoptimised build takes a fraction of the time and is fast enough for manual tests.
run: ## Start a server on http://127.0.0.1:3000 with its data under ./data
	$(CARGO) run --bin siskin -- serve

demo: ## Fill an empty ./data with sample data; ARGS="--accounts 100 --statuses 5000"
	$(CARGO) run --bin siskin -- demo $(ARGS)

test: layers embedding ## Run all tests, also on PostgreSQL if it is installed
ifeq ($(NEXTEST),yes)
	@# Prints which tests will be skipped, because nextest hides the output of passing tests.
	$(CARGO) run --quiet --bin with-database -- postgres true
	@[ -n "$(SISKIN_TEST_MOTO)" ] || command -v moto_server >/dev/null || \
		echo 'the tests on S3 need moto_server: SISKIN_TEST_MOTO=$$(.ci/moto) make test'
	$(CARGO) test --workspace --doc --quiet
	$(CARGO) nextest run --workspace --no-fail-fast
else
	$(CARGO) test --workspace --no-fail-fast
endif

# The example is no member of the workspace. It gets the versions of the workspace's lock file.
embedding: ## Run the example program that embeds crates, and compare its output
	cp Cargo.lock docs/embedding/Cargo.lock
	$(CARGO) run --quiet --manifest-path docs/embedding/Cargo.toml \
		--target-dir $(or $(CARGO_TARGET_DIR),target) -- docs/embedding/filters.json \
		< docs/embedding/statuses.json | diff docs/embedding/expected.txt -

# The packages depend on each other. So cargo packages them together, and compiles each from a
# temporary registry of these packages. Only here, packages are selected: they compile alone. cargo
# assumes that a registry never changes a version. So what the last run unpacked and built must go.
PACKAGES := $(or $(CARGO_TARGET_DIR),target)/packages
package: ## Package the crates that can be published, and compile the packages
	rm -rf $(PACKAGES) $${CARGO_HOME:-$$HOME/.cargo}/registry/src/-*/siskin-*
	$(CARGO) package --quiet --allow-dirty --target-dir $(PACKAGES) $(addprefix -p siskin-,ids text entities federation policy wire)

soak: ## Load the store and the server for a minute, kill it 20 times during each kind of work, attack it
	SISKIN_SOAK_SECONDS=60 SISKIN_KILL_ROUNDS=20 SISKIN_STREAM_LISTENERS=300 $(CARGO) test --workspace --test store --test commands \
		soak -- --nocapture --test-threads 1
	SISKIN_PUSH_CLIENTS=1000 $(CARGO) test --workspace --test api push::many -- --nocapture
	SISKIN_SIGN_UPS=2000 $(CARGO) test --workspace --test api admin::accounts::wave -- --nocapture
	$(MAKE) attack

attack: ## Attack an optimised server while regular users use it; ARGS="--only readers" for one attack
	$(CARGO) build --workspace --release
	$(CARGO) run --release --bin siskin-attack -- $(ARGS)

# Unoptimised, because integer overflows and failed debug assertions are findings, too.
fuzz: ## Fuzz the code that reads untrusted input for half an hour; SECONDS=60 for a shorter time
	$(CARGO) test --workspace --test text --test filters --test search --test activitypub --test requests --no-run
	@# The targets run in parallel, so each gets the whole time.
	@export SISKIN_FUZZ_SECONDS=$(or $(SECONDS),1800); \
		$(CARGO) test --workspace --test text -- --nocapture & text=$$!; \
		$(CARGO) test --workspace --test filters -- --nocapture & filters=$$!; \
		$(CARGO) test --workspace --test search -- --nocapture & search=$$!; \
		$(CARGO) test --workspace --test activitypub -- --nocapture & activitypub=$$!; \
		$(CARGO) test --workspace --test requests -- --nocapture; requests=$$?; \
		wait $$text && wait $$filters && wait $$search && wait $$activitypub && exit $$requests

# wrk generates the load. STATUSES=100000 for more data; ARGS="--only home" for fewer scenarios,
# ARGS="--engine sqlite" for one engine, ARGS="--world plain" for one of the two worlds.
bench: ## Measure an optimised build: HTTP in two worlds against a baseline, on each installed engine, then 100,000 followers and statuses, 2,000 streams
	$(CARGO) build --workspace --release
	$(CARGO) run --release --bin siskin-bench -- --statuses $(or $(STATUSES),2000) $(ARGS)
	SISKIN_SOAK_SECONDS=20 SISKIN_KILL_ROUNDS=0 SISKIN_FOLLOWERS=100000 SISKIN_REBLOGS=100000 \
	SISKIN_STREAM_LISTENERS=2000 SISKIN_STATUSES=100000 $(CARGO) test --workspace --release \
		--test store --test queries --test commands soak -- long_lists random_walks removals_hold --nocapture --test-threads 1

lint: ## Check formatting, and that clippy and rustdoc have no warnings
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- --deny warnings
	@# Finds broken links. Most comments are on private items; with them it takes no longer.
	RUSTDOCFLAGS='--deny warnings --allow rustdoc::private_intra_doc_links' \
		$(CARGO) doc --workspace --no-deps --document-private-items

layers: ## Check that every dependency between crates points to a lower layer
	$(CARGO) run --quiet --bin siskin-layers
