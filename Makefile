# The front door. Meson does the building; this installs what is missing and calls it.
#
#   make            builds build/thresh, twice: the second time by a profile (PROFILE=no: once)
#   make demo       trains on text that this machine has, and shows what comes out
#   make test       the first tier of tests, under AddressSanitizer and UndefinedBehaviorSanitizer;
#                   JOBS tests at a time (default: one for each processor)
#   make test-all   the second tier: ThreadSanitizer, long property runs, the browser, the peers
#   make peers      installs the programs that `make test-all` compares thresh with
#   make install    PREFIX=/usr/local: command, libraries, header, pkg-config file, man page
#   make mutants    breaks each rule on purpose and sees the tests notice
#   make faults-alloc  makes each allocation fail in turn, in 41 command lines; three minutes
#   make ports      other machines under qemu-user: arm64 works, i386 and s390x are refused
#   make fuzz       libFuzzer on every format and the model loader, SECONDS=600 each
#   make fuzz-coverage  the share of the parsers' lines that the fuzz corpora reach
#   make faults     1000 failing system calls and 1000 kills in the commands that write files
#   make results    docs/RESULTS.md from the data sets in DATA=folder
#   make bench      thresh beside its peers and the plainest loops; needs 6 GB and an hour. With
#                   DATA=folder also on the largest of those data sets
#   make bench-quick  ... a tenth of it
#   make bench-arrays  learning from arrays in memory beside a plain loop; a part of make bench
#   make bench-snapshot  what snapshots cost while learning goes on; needs 3 GB and four minutes
#   make soak       peak memory on a 2 GB pipe

PREFIX  ?= /usr/local
SECONDS ?= 600
PACKAGES = gcc libc6-dev meson ninja-build pkg-config libxxhash-dev zlib1g-dev libzstd-dev \
           liblzma-dev libutf8proc-dev libjansson-dev libgmp-dev coinor-libclp-dev coinor-libclp1
TEST_PACKAGES = libcmocka-dev xz-utils gzip zstd python3 time valgrind strace
PEER_PACKAGES = python3 python3-sklearn timbl clang
PAGE_PACKAGES = chromium
FUZZ_PACKAGES = clang libclang-rt-dev
# Warnings are errors where the result counts.
WERROR = $(if $(CI),true,false)

all: $(if $(filter no,$(PROFILE)),build/build.ninja,build/profiled)
	@ninja -C build

# Once; it makes no difference but in time when sources change afterwards.
build/profiled: | build/build.ninja
	@tools/profile build

# Ninja sets up again by itself when a meson.build changes.
build/build.ninja:
	@tools/install-packages $(PACKAGES)
	@meson setup build -Dwerror=$(WERROR)

build-test/build.ninja:
	@tools/install-packages $(PACKAGES) $(TEST_PACKAGES)
	@meson setup build-test -Dtests=true -Dwerror=$(WERROR) -Dbuildtype=debugoptimized \
	    -Db_sanitize=address,undefined -Db_lundef=false

build-tsan/build.ninja:
	@tools/install-packages $(PACKAGES) $(TEST_PACKAGES)
	@meson setup build-tsan -Dtests=true -Dwerror=$(WERROR) -Dbuildtype=debugoptimized \
	    -Db_sanitize=thread -Db_lundef=false

demo: all
	@tools/demo build/thresh

test: all build-test/build.ninja
	@ninja -C build-test
	@tests/run build-test build

# Without the browser or a peer, what needs it is skipped. tests/tsan.txt lists the thread tests.
test-all: all build-test/build.ninja build-tsan/build.ninja
	@tools/install-packages $(PAGE_PACKAGES) || echo 'no browser: its test will be skipped'
	@tools/install-packages $(PEER_PACKAGES) || echo 'a peer is missing: its tests will be skipped'
	@ninja -C build-test
	@ninja -C build-tsan thresh $$(sed 's/#.*//; /[a-z]/s|[^ ]*|tests/&|' tests/tsan.txt)
	@tests/run --all build-test build build-tsan

peers:
	@tools/install-packages $(PEER_PACKAGES)

install: all
	@meson configure build -Dprefix=$(abspath $(PREFIX))
	@meson install -C build

mutants: build-test/build.ninja
	@tests/mutants

faults-alloc: all build-test/build.ninja
	@ninja -C build-test tests/alloc_fail.so
	@tests/faults/alloc build/thresh build-test/tests/alloc_fail.so

ports:
	@tests/ports/run

fuzz:
	@tools/install-packages $(PACKAGES) $(TEST_PACKAGES) $(FUZZ_PACKAGES)
	@[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzzers=true -Dtests=true \
	    -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-fuzz
	@tests/fuzz/run build-fuzz $(SECONDS)

fuzz-coverage:
	@tools/install-packages $(PACKAGES) $(TEST_PACKAGES)
	@[ -f build-cov/build.ninja ] || meson setup build-cov -Dtests=true -Db_coverage=true \
	    -Dbuildtype=debug -Dc_args=-DTHR_NOT_APART
	@ninja -C build-cov fuzz-programs
	@tests/fuzz/coverage build-cov

faults: all
	@tools/install-packages strace
	@tests/faults/run build/thresh

results: all
	@[ -n "$(DATA)" ] || { echo 'usage: make results DATA=folder'; exit 2; }
	@bench/results build/thresh $(DATA)

bench bench-quick: all
	@ninja -C build bench/gen bench/floor
	@bench/bench build $(if $(filter bench-quick,$@),--quick --rounds 3)
	@$(if $(DATA),bench/real build $(DATA))
	@$(MAKE) --no-print-directory bench-arrays

bench-arrays: all
	@ninja -C build bench/gen bench/arrays
	@bench/arrays build

bench-snapshot: all
	@ninja -C build bench/gen bench/snapshot
	@bench/snapshot build

soak: all
	@bench/soak build/thresh

clean:
	@rm -rf build build-test build-tsan build-fuzz build-cov build-ports

.PHONY: all demo test test-all peers install mutants faults faults-alloc ports fuzz fuzz-coverage \
        results bench bench-quick bench-arrays bench-snapshot soak clean
