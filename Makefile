# The front door. Meson does the building; this installs what is missing and calls it.
#
#   make            builds build/thresh, twice: the second time by a profile (PROFILE=no: once)
#   make demo       trains on text that this machine has, and shows what comes out
#   make test       all tests, under AddressSanitizer and UndefinedBehaviorSanitizer
#   make peers      installs what `make test` compares with where it is there
#   make install    PREFIX=/usr/local: command, libraries, header, pkg-config file, man page
#   make mutants    breaks each rule on purpose and sees the tests notice
#   make fuzz       libFuzzer on every format and the model loader, SECONDS=600 each
#   make results    docs/RESULTS.md from the data sets in DATA=folder
#   make bench      thresh beside its peers and the plainest loops; needs 6 GB and an hour
#   make bench-quick  ... a tenth of it
#   make soak       peak memory on a 2 GB pipe

PREFIX  ?= /usr/local
SECONDS ?= 600
PACKAGES = gcc libc6-dev meson ninja-build pkg-config libxxhash-dev zlib1g-dev libzstd-dev \
           liblzma-dev libutf8proc-dev libjansson-dev libgmp-dev coinor-libclp-dev coinor-libclp1
TEST_PACKAGES = libcmocka-dev xz-utils gzip zstd
PEER_PACKAGES = python3-sklearn timbl
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

demo: all
	@tools/demo build/thresh

test: all build-test/build.ninja
	@ninja -C build-test
	@tests/run build-test build

peers:
	@tools/install-packages $(PEER_PACKAGES)

install: all
	@meson configure build -Dprefix=$(abspath $(PREFIX))
	@meson install -C build

mutants: build-test/build.ninja
	@tests/mutants

fuzz:
	@tools/install-packages $(PACKAGES) $(FUZZ_PACKAGES)
	@[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzzers=true -Dtests=true \
	    -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C build-fuzz
	@tests/fuzz/run build-fuzz $(SECONDS)

results: all
	@[ -n "$(DATA)" ] || { echo 'usage: make results DATA=folder'; exit 2; }
	@bench/results build/thresh $(DATA)

bench bench-quick: all
	@ninja -C build bench/gen bench/floor
	@bench/bench build $(if $(filter bench-quick,$@),--quick --rounds 3)

soak: all
	@bench/soak build/thresh

clean:
	@rm -rf build build-test build-fuzz

.PHONY: all demo test peers install mutants fuzz results bench bench-quick soak clean
