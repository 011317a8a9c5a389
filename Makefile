# The front door. Everything is done by CMake (presets in CMakePresets.json) and CTest; this only remembers the commands.

PREFIX ?= /usr/local
SETUP ?= tools/setup# make SETUP=true skips it
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build
# Tests run side by side: a thread that waits must leave its core to the others.
test test-quick test-studio test-all asan tsan: export OMP_WAIT_POLICY := passive
FIND_OURS := git ls-files '*.c' '*.h'

.NOTPARALLEL:
.PHONY: all configure demo live test test-quick test-studio test-all bench bench-keep gallery install asan tsan fuzz format tidy clean help \
	setup setup-test setup-studio setup-all

all: setup configure ## build the library and the tool, into build/
	@cmake --build $(BUILD) -j $(JOBS)

# Every time, which takes half a second: libraries that were missing the last time may have been installed since.
configure:
	@cmake --preset release -B $(BUILD) >/dev/null

setup:
	@$(SETUP)

setup-test:
	@$(SETUP) --test

setup-studio:
	@$(SETUP) --studio

setup-all:
	@$(SETUP) --all

demo: all ## build, simulate one scene, and leave a video and a picture in out/
	@$(BUILD)/limber run gallery/match/twist.json --out out/twist.mp4 --out out/twist.png
	@echo
	@echo "Watch out/twist.mp4 (or look at out/twist.png): a soft bar that prefers to be twisted."
	@echo "Next: direct it by hand, in the browser: build/limber live gallery/match/teddy.json"
	@echo "(or make live: the gallery, to choose from)."

live: all ## build and start the studio in the browser
	@$(BUILD)/limber live

test: setup-test all ## all tests, those of the sanitizers and of a second compiler too
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE '^all$$'

test-quick: setup-test all ## the tests that take seconds
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -L quick

test-studio: setup-studio all ## the studio, used in a real browser
	@LIMBER_NO_SKIPS=1 ctest --test-dir $(BUILD) --output-on-failure -R '^studio'

test-all: setup-all all ## and those that need large tools, of which none may be missing
	@LIMBER_NO_SKIPS=1 ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: setup-test all ## how fast it is: a table, build/bench.json and build/bench.csv
	@$(BUILD)/limber-bench --json $(BUILD)/bench.json --csv $(BUILD)/bench.csv

bench-keep: bench ## the same, kept in bench/results/, which docs quote
	@mkdir -p bench/results && cp $(BUILD)/bench.csv bench/results/bench.csv

gallery: all ## every scene, as videos in out/gallery/
	@$(BUILD)/limber gallery --out out/gallery

install: all ## into PREFIX (/usr/local), below DESTDIR when given
	@cmake --install $(BUILD) --prefix $(PREFIX)

asan: setup-test ## quick tests with the address and undefined-behaviour sanitizers
	@tests/house/preset.sh asan

tsan: setup-test ## threaded tests with the thread sanitizer
	@tests/house/preset.sh tsan

fuzz: setup-test ## every reader against a minute of random bytes
	@tests/house/fuzz.sh 60

format: ## clang-format our sources in place
	@$(FIND_OURS) | xargs clang-format -i

tidy: all ## clang-tidy over our sources
	@$(FIND_OURS) | grep -E '^(src|cli|bench)/.*\.c$$' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet

clean: ## remove what was built and made
	@rm -rf $(BUILD) out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18
