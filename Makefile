# Everything on a machine without ROS 2, in a virtual environment of its own (.venv).
# With ROS 2 use colcon and ros2 as for any package; README.md says how.
#
#   make demo [ROBOT=puma560] [ARGS="..."]   a robot tracks a path; Ctrl-C ends it
#   make test [PYTEST_ARGS="..."]            the whole test suite
#   make test-quick                          two minutes of both processors, of the numerical packages
#   make chaos [ARGS="--short restarts"]     running robots disturbed; one table at the end
#   make soak [ARGS="--minutes 10 panda"]    every launch of the README for ten minutes; one table
#   make platforms [ARGS="--short 3.10"]     other Pythons, dependencies and processors; one table
#   make install                             everything into .venv, without starting anything
#   make cyclone [CYCLONE=FOLDER]            the DDS library from its C sources, where no wheel fits
#   make colcon                              colcon build, test and test-result
#   make real [DISTRO=jazzy]                 the node tests on a real rclpy, from PyPI; Kilted's by default
#   make upstream DIR=FOLDER                 ROS 2's own tests, of checkouts there, on rosless
#   make nightly                             tests, chaos and the real rclpy: two hours
#   make robots                              for make test: real robots, 415 MB
#   make compilers                           for tests: clang, cross compilers, emulators (apt, 1 GB)
#   make mutants [ARGS="--minutes 10"]       changed programs: would a test notice?
#   make pictures                            those of docs/page.md, each control used in a browser
#   make rviz-pictures                       what RViz draws of every launch, in build/rviz
#   make notebook                            the outputs of docs/tutorials/day.ipynb
#   make docs                                the pages as HTML with an API reference, in build/docs
#   make ament                               the linters of ROS 2 themselves, of Debian or ROS
#   make lint | bench | clean | distclean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Builds use the setuptools of .venv: no download for each, and colcon-core needs one before 80.
SETUPTOOLS := setuptools>=70.1,<80
PIP_INSTALL := scripts/pip_install.sh $(BIN)/pip
INSTALL_ROSLESS := scripts/install_rosless.sh $(BIN)/pip
STAMPS := $(VENV)/stamps
SIZES = $(if $(wildcard $(STAMPS)/installed),, (170 MB of downloads and 0.7 GB on disk))

FIND_SOURCES := find mbd_ros rosless/src rosless/tools/src interfaces launch urdf config resource \
	-name __pycache__ -prune -o -name '*.egg-info' -prune -o -name build -prune -o -type f -print
SOURCES := package.xml setup.py setup.cfg rosless/setup.py rosless/pyproject.toml rosless/tools/pyproject.toml \
	$(STAMPS)/sources $(shell $(FIND_SOURCES))

# A sourced ROS 2 must not mix with the packages of .venv.
unexport PYTHONPATH AMENT_PREFIX_PATH PYTHONHOME
# Images of containers often forbid bytecode: each start of a node would compile 400 modules anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DELETE_ON_ERROR:
.PHONY: always ament cyclone platforms pictures rviz-pictures notebook demo test test-quick chaos soak real upstream nightly install venv test-tools tools robots browser compilers lint docs colcon bench mutants clean distclean

demo: install $(STAMPS)/warm-$(or $(ROBOT),three_link_arm)
	@if $(BIN)/python -c 'import cyclonedds' 2>/dev/null; then \
		exec $(BIN)/ros2 launch mbd_ros track.launch.py $(if $(ROBOT),robot:=$(ROBOT)) $(ARGS); \
		else exec $(BIN)/python scripts/demo_without_nodes.py $(ROBOT); fi

# Where PyPI has no wheel of it. CYCLONE: a folder with the C sources; fetched by git otherwise.
cyclone: $(STAMPS)/installed
	@scripts/cyclone.sh $(VENV) $(CYCLONE)

# For two processors: two of the workers begin with launches, which wait most of the time, the
# third one computes beside them (conftest.py); WORKERS=0 for a debugger.
WORKERS := 3
test: install test-tools browser
	MBD_ROS_EVERY_TEST=1 $(BIN)/pytest -n $(WORKERS) $(PYTEST_ARGS)

# Two minutes of the numerical packages, breadth first, without nodes and browsers (conftest.py).
# Processor time: a busy machine takes longer, and tests the same.
QUICK := spatial model execution environment dynamics simulation control description
test-quick: install test-tools
	$(BIN)/pytest -q -n 2 -m 'not nodes and not browser and not slow' --seconds 100 \
		$(addprefix test/unit/,$(QUICK)) $(PYTEST_ARGS)

# ARGS: --short (as .ci/run), --seed N, and the areas to try; all of them in the long form otherwise.
chaos: install test-tools
	@$(BIN)/python test/chaos $(ARGS)

# ARGS: --minutes M and beginnings of names of launches; all of them for ten minutes otherwise.
soak: install test-tools
	@$(BIN)/python test/soak $(ARGS)

# ARGS: --short (as .ci/run) and names such as 3.10, oldest and aarch64; all that is found otherwise.
platforms: install
	@$(BIN)/python test/platforms $(ARGS)

install: $(STAMPS)/installed
venv: install
test-tools: $(STAMPS)/test $(STAMPS)/colcon
tools: test-tools robots $(STAMPS)/lint $(STAMPS)/docs

$(STAMPS)/venv:
	@scripts/make_venv.sh $(PYTHON) $(VENV)
	@$(BIN)/pip install --quiet '$(SETUPTOOLS)'
	@mkdir -p $(STAMPS) && touch $@

# Names of all source files: changed when one is removed, not when Python writes a cache beside it.
$(STAMPS)/sources: always
	@mkdir -p $(STAMPS)
	@$(FIND_SOURCES) | LC_ALL=C sort > $@.$$PPID   # two makes may run at a time
	@if cmp -s $@.$$PPID $@; then rm $@.$$PPID; else mv $@.$$PPID $@; fi

# All again whenever one of our files changes, in some seconds, in which running nodes go on.
$(STAMPS)/installed: $(STAMPS)/venv $(SOURCES) scripts/install.py scripts/install_rosless.sh
	@echo 'installing mbd_ros, mbd_msgs, rosless and what they need into $(VENV)$(SIZES) ...'
	@rm -rf build/pip rosless/build rosless/tools/build interfaces/mbd_msgs/build
	@$(BIN)/python scripts/install.py ./rosless ./rosless/tools ./interfaces/mbd_msgs .
	@$(PIP_INSTALL) mbd-msgs 'mbd_ros[viewer,xacro]'
	@$(INSTALL_ROSLESS)
	@touch $@

$(STAMPS)/warm-%: $(STAMPS)/installed
	-@if $(BIN)/python -c 'import cyclonedds' 2>/dev/null; then $(BIN)/mbd_ros cache warm $*; fi
	@touch $@

$(STAMPS)/test: setup.py rosless/pyproject.toml | $(STAMPS)/installed
	@echo 'installing the packages of the tests into $(VENV) ...'
	@$(PIP_INSTALL) 'rosless[test]' 'mbd_ros[test,peers]'
	@touch $@

$(STAMPS)/lint: setup.py | $(STAMPS)/installed
	@$(PIP_INSTALL) 'mbd_ros[lint]'
	@touch $@

$(STAMPS)/docs: setup.py | $(STAMPS)/installed
	@$(PIP_INSTALL) 'mbd_ros[docs]'
	@touch $@

$(STAMPS)/bench: setup.py | $(STAMPS)/installed
	@echo 'installing the peers and the robots of the benchmarks (about 0.5 GB) ...'
	@$(PIP_INSTALL) 'mbd_ros[bench]'
	@touch $@

$(STAMPS)/mutants: setup.py | $(STAMPS)/test
	@$(PIP_INSTALL) 'mbd_ros[mutants]'
	@touch $@

$(STAMPS)/robots: setup.py | $(STAMPS)/installed
	@echo 'installing 69 robots that the readers are tested with (415 MB) ...'
	@$(PIP_INSTALL) 'mbd_ros[robots]'
	@touch $@

$(STAMPS)/colcon: | $(STAMPS)/installed
	@$(PIP_INSTALL) colcon-common-extensions '$(SETUPTOOLS)' $(if $(shell command -v cmake),,cmake)
	@touch $@

robots: $(STAMPS)/robots

browser:
	@scripts/install_browser.sh

# clang, cross compilers and emulators, for the tests of exported libraries.
compilers:
	@scripts/install_compilers.sh

lint: install $(STAMPS)/lint
	$(BIN)/ruff check .
	$(BIN)/flake8
	$(BIN)/mypy

ament:
	@scripts/ament_lint.sh

# Warnings are errors: a link that leads nowhere, a docstring that cannot be read.
docs: install $(STAMPS)/docs
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs . build/docs
	@echo 'look at build/docs/docs/index.html'

# Ten minutes; ARGS: names of scenes (scripts/page_scenes.py), all otherwise.
pictures: install test-tools browser
	@$(BIN)/python scripts/page_pictures.py $(ARGS)

# What the RViz of the tests draws of every launch, from the camera of its configuration, with links
# in the colour of their first visual. PYTEST_ARGS='-k panda' for one.
rviz-pictures: install test-tools
	$(BIN)/pytest -q -n 0 test/nodes/test_rviz.py::test_rviz_shows_a_robot_and_complains_of_nothing $(PYTEST_ARGS)
	@echo 'look at build/rviz/*.png'

# Runs docs/tutorials/day.ipynb and keeps its outputs in it.
notebook: install $(STAMPS)/docs
	@$(BIN)/python scripts/run_notebook.py

# COLCON_TEST_ARGS, for example: --pytest-args test/unit
colcon: export PATH := $(CURDIR)/$(BIN):$(PATH)
colcon: install test-tools
	colcon build
	colcon test $(COLCON_TEST_ARGS)
	colcon test-result --verbose

bench: install $(STAMPS)/bench
	$(BIN)/python -m benchmarks $(ARGS)

# Linux on x86-64; docs/real_rclpy.md says what is real in it. Made anew if our sources changed.
REAL := build/real$(patsubst %,-%,$(filter-out kilted,$(DISTRO)))
$(REAL)/ros.sh: scripts/real_rclpy.sh $(SOURCES)
	@rm -rf $(REAL)
	@scripts/real_rclpy.sh $(REAL) $(PYTHON) $(DISTRO)

# The table in docs/real_rclpy.md is of the newest run, also of one that Ctrl-C or a failure ended.
real: $(REAL)/ros.sh
	@. $(REAL)/ros.sh; pytest test/nodes -m 'not browser' --junitxml=$(REAL)/junit.xml $(PYTEST_ARGS); \
		code=$$?; python scripts/real_table.py $(REAL)/junit.xml $(DISTRO); exit $$code

# DIR: checkouts of ros2/rclpy, launch, geometry2, rcl_interfaces, test_interface_files and
# osrf_pycommon. ARGS: --write, or parts of names of files. docs/conformance.md has the table.
upstream: install test-tools
	@$(BIN)/python rosless/test/upstream.py $(DIR) $(ARGS)

nightly: compilers test chaos real

mutants: install $(STAMPS)/mutants
	@$(BIN)/python scripts/mutants.py $(ARGS)

clean:
	rm -rf build install log *.egg-info interfaces/mbd_msgs/build interfaces/mbd_msgs/*.egg-info \
		rosless/build rosless/src/*.egg-info rosless/tools/build rosless/tools/src/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
