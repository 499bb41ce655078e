# iotap - build, test, install.  "make help" lists the targets and variables.

# What is built ----------------------------------------------------------------------------------
#
# main.c of a folder is its program; every other .c of it goes into the folder's archive, which the
# unit tests link too. Files are found by wildcard: a new one needs no edit here. A program is built
# when its main.c exists.

VERSION   := 0.1.0
SOVERSION := 0
O         ?= build
PREFIX    ?= /usr/local
BINDIR    ?= $(PREFIX)/bin
LIBDIR    ?= $(PREFIX)/lib
INCDIR    ?= $(PREFIX)/include
SHAREDIR  ?= $(PREFIX)/share

DRIVER  := report/iotap.c
MAINS   := $(wildcard capture/main.c decode/main.c analyze/main.c report/main.c $(DRIVER))
sources = $(filter-out $(MAINS),$(sort $(shell find $(wildcard $1) -name '*.c' 2>/dev/null)))
objects = $(patsubst %.c,$O/%.o,$1)

BASE_SRC    := $(call sources,formats/base) $(wildcard formats/error.c)
FORMATS_SRC := $(sort $(call sources,formats))
DECODE_SRC  := $(if $(wildcard decode),$(call sources,decode))
CAPTURE_SRC := $(if $(wildcard capture),$(call sources,capture))
ANALYZE_SRC := $(if $(wildcard analyze),$(call sources,analyze))
REPORT_SRC  := $(if $(wildcard report),$(call sources,report))
SQL         := $(sort $(wildcard analyze/sql/*.sql))
SKELETONS   := $(patsubst bpf/%.bpf.c,$O/bpf/%.skel.h,$(wildcard bpf/*.bpf.c))

PROGRAMS := $(patsubst %/main.c,$O/iotap-%,$(filter %/main.c,$(MAINS))) \
            $(if $(wildcard $(DRIVER)),$O/iotap)
ARCHIVES := $O/base.a $O/formats.a $(if $(DECODE_SRC),$O/decode.a) $(if $(CAPTURE_SRC),$O/capture.a) \
            $(if $(ANALYZE_SRC)$(SQL),$O/analyze.a) $(if $(REPORT_SRC),$O/report.a)
LIBRARY  := $O/libiotap.a $O/libiotap.so
TESTS    := $(patsubst %.c,$O/%,$(sort $(shell find $(wildcard tests/unit) -name '*_test.c' 2>/dev/null)))
EXTRAS   := $(patsubst %.c,$O/%,$(wildcard tests/api/*.c tests/*/work/*.c tests/bench/*.c tests/golden/*.c))
FUZZERS  := $(patsubst %.c,$O/%,$(if $(FUZZ)$(wildcard tests/fuzz/driver.c),$(wildcard tests/fuzz/*_fuzz.c)))
TESTLIB  := $(call sources,tests/lib)

# With which flags -------------------------------------------------------------------------------

CLANG   ?= clang
BPFTOOL ?= $(firstword $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool) bpftool)
AWK     ?= awk

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wformat=2
OPTIMISE := -O2
MODE     :=
DEFINES  := -D_GNU_SOURCE -DIOTAP_VERSION='"$(VERSION)"'
ALL_CPPFLAGS = $(DEFINES) -I. -I$O $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu11 $(OPTIMISE) -g -fPIC -fvisibility=hidden -pthread $(WARNINGS) $(MODE) $(CFLAGS)
ALL_LDFLAGS  = -pthread -Wl,--as-needed $(MODE) $(SAN_LINK) $(LDFLAGS)

# The terminal UI of iotap-report is there where ncursesw is.
CURSES     := $(shell printf '\043include <curses.h>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo yes)
DEFINES    += $(if $(CURSES),-DIOTAP_TUI)

ifdef DEBUG
OPTIMISE := -Og
DEFINES  += -DIOTAP_DEBUG
endif
ifdef COV
OPTIMISE := -O0
MODE     += --coverage
DEFINES  += -DIOTAP_NO_SANDBOX
endif
ifdef SAN
MODE     += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
ifneq ($(filter thread,$(SAN)),)		# fences are between us and the kernel, which it does not see
WARNINGS += -Wno-tsan
endif
ifneq ($(filter memory,$(SAN)),)		# with clang; what libzstd writes is told to it
DEFINES     += -DIOTAP_NO_SANDBOX
FORMATS_SRC += tests/lib/unpoison.c
SAN_LINK     = $(patsubst %,-Wl$(comma)--wrap=%,ZSTD_compress2 ZSTD_compressStream2 ZSTD_decompressDCtx \
               _cmocka_run_group_tests)
endif
ifdef FUZZ
MODE     += -fsanitize=fuzzer-no-link
DEFINES  += -DIOTAP_SMALL -DIOTAP_HASH_SEED=1
endif
ifdef WERROR
WARNINGS += -Werror
endif

MULTIARCH  := $(shell $(CC) -print-multiarch 2>/dev/null)
MACHINE    := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
BPF_ARCH   := $(or $(patsubst x86_64,x86,$(filter x86_64,$(MACHINE))),$(patsubst aarch64,arm64,$(MACHINE)))
BPF_INCLUDE ?= $(addprefix /usr/include/,$(MULTIARCH))
BPF_CFLAGS := -std=gnu11 -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. \
              $(addprefix -I,$(BPF_INCLUDE)) \
              -Wall -Wextra -Wno-unused-parameter -Wno-address-of-packed-member $(if $(WERROR),-Werror)

LIBS_FORMATS := -lzstd -lz
LIBS_LIBRARY := -lelf $(LIBS_FORMATS)
LIBS_CAPTURE := -lbpf $(LIBS_LIBRARY)
# A process with sanitizers does not load what is built without its program.
EXTENSION    := $(if $(SAN),,$(if $(wildcard analyze/extension.c),$O/iotap_vtab.so))
LIBS_ANALYZE := -lsqlite3 $(LIBS_LIBRARY) -lm -ldl
LIBS_REPORT   = $(LIBS_LIBRARY) $(if $(CURSES),-lncursesw -ltinfo) -lm

# What must be there: checked in one run of the preprocessor, named by Debian package, and not asked
# for by targets that build nothing.

ifneq ($(filter-out help clean format,$(or $(MAKECMDGOALS),all)),)
HASH        := \#
need_tool    = $(if $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v $1 2>/dev/null),,$2)
need_header  = $(HASH)if !__has_include(<$1>)\n$2\n$(HASH)endif\n
HEADERS     := $(call need_header,bpf/libbpf.h,libbpf-dev)$(call need_header,libelf.h,libelf-dev)$(call \
                need_header,zlib.h,zlib1g-dev)$(call need_header,zstd.h,libzstd-dev)$(call \
                need_header,sqlite3.h,libsqlite3-dev)$(call need_header,stdio.h,libc6-dev)$(if $(filter \
                check check-build live bench bench-check,$(MAKECMDGOALS)),$(call need_header,cmocka.h,libcmocka-dev))
MISSING     := $(call need_tool,$(firstword $(CC)),gcc)
MISSING     := $(strip $(MISSING) $(call need_tool,$(CLANG),clang) $(call need_tool,$(BPFTOOL),bpftool) \
                $(call need_tool,$(AWK),mawk) \
                $(if $(MISSING),,$(shell printf '$(HEADERS)' | $(CC) $(ALL_CPPFLAGS) -E -P - 2>/dev/null)))
ifneq ($(strip $(MISSING)),)
$(error iotap needs these Debian packages, install them with: apt-get install $(strip $(MISSING))  (or run .ci/setup))
endif
endif

# How ----------------------------------------------------------------------------------------------

ifdef V
Q   :=
say  = @:
else
Q   := @
say  = @printf '  %-8s %s\n' $1 $(patsubst $O/%,%,$@)
MAKEFLAGS += --no-print-directory
endif

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help check check-build live guests demo bench bench-check bench-deps lint format install clean torture \
        fuzz fuzz-build coverage torture-damage valgrind asan tsan msan

all: $(EXTENSION) $(PROGRAMS) $(LIBRARY) $(ARCHIVES)		## build every program and the library (default)

# Changes when a flag does, so that SAN=, COV=, DEBUG= and WERROR= rebuild what they must.
FLAGS := $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(CLANG) $(BPF_CFLAGS)
ifneq ($(filter-out help clean format,$(or $(MAKECMDGOALS),all)),)
$(shell mkdir -p $O; printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $O/flags || \
        printf '%s\n' '$(subst ','\'',$(FLAGS))' > $O/flags)
endif
$O/flags: ;

$O/%.o: %.c $O/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$O/%.o: $O/%.c $O/flags
	$(call say,CC)
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The kernel half. bpftool's linker drops the debugging sections that the compiler added; what
# remains is BTF.
$O/bpf/%.bpf.o: bpf/%.bpf.c $O/flags
	$(call say,BPF)
	@mkdir -p $(@D)
	$Q$(CLANG) $(BPF_CFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c $< -o $(@:.o=.full.o)
	$Q$(BPFTOOL) gen object $@ $(@:.o=.full.o)

$O/bpf/%.skel.h: $O/bpf/%.bpf.o
	$(call say,SKEL)
	$Q$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(call objects,$(CAPTURE_SRC) capture/main.c): | $(SKELETONS)

$O/analyze/sql_texts.c: analyze/embed.awk $(SQL) $(if $(wildcard analyze/sql),analyze/sql)
	$(call say,EMBED)
	@mkdir -p $(@D)
	$Q$(AWK) -f analyze/embed.awk $(SQL) > $@

$O/report/page_texts.c: report/embed.awk report/page.css report/page.js
	$(call say,EMBED)
	@mkdir -p $(@D)
	$Q$(AWK) -f report/embed.awk report/page.css report/page.js > $@

$O/base.a:    $(call objects,$(BASE_SRC))
$O/formats.a: $(call objects,$(FORMATS_SRC))
$O/decode.a:  $(call objects,$(DECODE_SRC))
$O/capture.a: $(call objects,$(CAPTURE_SRC))
$O/analyze.a: $(call objects,$(ANALYZE_SRC)) $(if $(SQL),$O/analyze/sql_texts.o)
$O/report.a:  $(call objects,$(REPORT_SRC)) $O/report/page_texts.o
$O/testlib.a: $(call objects,$(TESTLIB))
$O/libiotap.a: $(call objects,$(FORMATS_SRC) $(DECODE_SRC))

%.a:
	$(call say,AR)
	$Qrm -f $@
	$Q$(AR) rcsD $@ $(filter %.o,$^)

$O/libiotap.so: $(call objects,$(FORMATS_SRC) $(DECODE_SRC))
	$(call say,LINK)
	$Q$(CC) -shared -Wl,-soname,$(@F).$(SOVERSION) $(if $(SAN),,-Wl,-z,defs) $(ALL_LDFLAGS) \
		$^ $(LIBS_LIBRARY) -o $@
	$Qln -sf $(@F) $@.$(SOVERSION)

$O/iotap_vtab.so: $O/analyze/extension.o $O/analyze.a $O/libiotap.a
	$(call say,LINK)
	$Q$(CC) -shared $(ALL_LDFLAGS) $^ -Wl,--exclude-libs,ALL $(LIBS_ANALYZE) -o $@

link = $(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(filter %.o %.a,$^)

define program_rule
$1: $2
	$$(call say,LINK)
	$$(link) $3 -o $$@
endef
have = $(filter $(addprefix $O/,$1),$(ARCHIVES))
$(eval $(call program_rule,$O/iotap-capture,$O/capture/main.o $(call have,capture.a) $O/formats.a,$(LIBS_CAPTURE)))
$(eval $(call program_rule,$O/iotap-decode,$O/decode/main.o $O/libiotap.a,$(LIBS_LIBRARY)))
$(eval $(call program_rule,$O/iotap-analyze,$O/analyze/main.o $(call have,analyze.a) $O/libiotap.a,$(LIBS_ANALYZE)))
$(eval $(call program_rule,$O/iotap-report,$O/report/main.o $(call have,report.a) $O/libiotap.a,$(LIBS_REPORT)))
$(eval $(call program_rule,$O/iotap,$(call objects,$(DRIVER) $(wildcard report/driver_*.c)) $O/base.a,))

# Tests: a unit test links the archives that its folder may see. What it allocates goes through
# tests/lib/starve.c, which can say no. -----------------------------------------------------------

comma     := ,
UNIT_WRAP := -Wl,-u,__wrap_malloc $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc strdup free)

define unit_rule
$O/tests/unit/$1/%_test: $O/tests/unit/$1/%_test.o $O/testlib.a $(filter $(addprefix $O/,$2),$(ARCHIVES) $(LIBRARY))
	$$(call say,LINK)
	$Q$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) $(UNIT_WRAP) $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) \
		-Wl,--end-group -lcmocka $3 -o $$@
endef
$(eval $(call unit_rule,formats,formats.a,$(LIBS_FORMATS)))
$(eval $(call unit_rule,decode,libiotap.a,$(LIBS_LIBRARY)))
$(eval $(call unit_rule,capture,capture.a formats.a,$(LIBS_CAPTURE)))
$(eval $(call unit_rule,analyze,analyze.a libiotap.a,$(LIBS_ANALYZE)))
$(eval $(call unit_rule,report,report.a libiotap.a,$(LIBS_REPORT)))

# A stranger's program: the public header only, strict C11, the shared library. tests/*/work makes
# known calls and links nothing of ours.
$O/tests/api/%: tests/api/%.c formats/iotap.h $O/libiotap.so $O/flags
	$(call say,LINK)
	@mkdir -p $(@D)
	$Q$(CC) -std=c11 -Wall -Wextra -Wpedantic -Werror -g -Iformats $(if $(SAN),-fsanitize=$(SAN)) $< \
		-L$O -liotap -Wl,-rpath,'$$ORIGIN/../..' -o $@

$(eval $(call program_rule,$O/tests/bench/redraw,$O/tests/bench/redraw.o $O/report.a $O/libiotap.a,$(LIBS_REPORT)))
$(eval $(call program_rule,$O/tests/bench/empty,$O/tests/bench/empty.o,$(LIBS_CAPTURE)))
$(eval $(call program_rule,$O/tests/bench/%,$O/tests/bench/%.o $O/libiotap.a,$(LIBS_LIBRARY)))
$(eval $(call program_rule,$O/tests/golden/%,$O/tests/golden/%.o $O/libiotap.a,$(LIBS_LIBRARY)))
$(eval $(call program_rule,$O/tests/fuzz/%,$O/tests/fuzz/%.o $(if $(FUZZ),,$O/tests/fuzz/driver.o) $O/testlib.a \
	$(call have,analyze.a capture.a) $O/libiotap.a,$(if $(FUZZ),-fsanitize=fuzzer) $(LIBS_ANALYZE)))
$(foreach d,$(wildcard tests/*/work),$(eval $(call program_rule,$O/$d/%,$O/$d/%.o,)))

# With T only the tests that match are built, and what scripts call; for T=unit... no program.
TESTED = $(TESTS) $(EXTRAS) $(FUZZERS)
ifneq ($(if $(filter live,$(MAKECMDGOALS)),,$T),)
TESTED := $(addprefix $O/,$(shell printf '%s\n' $(patsubst $O/%,%,$(TESTED)) | grep -E '$T')) \
	$(if $(filter unit%,$T),,$(EXTRAS))
endif

check-build: $(if $(filter unit%,$T),,all) $(TESTED)	## build the tests too

check: check-build		## run every test; T=PATTERN runs those whose path matches
	@O=$O CC='$(CC)' VERSION=$(VERSION) SAN='$(SAN)' COV='$(COV)' tests/run '$T'

guests: check-build		## the guests of every other kernel; check leaves some out for their time
	@O=$O CC='$(CC)' SAN='$(SAN)' GUESTS=all tests/run tests/guest tests/cross

live: check-build		## the tests that trace; T='5 13' runs the live checks of these numbers
	@O=$O CC='$(CC)' VERSION=$(VERSION) SAN='$(SAN)' tests/run $(shell tests/conformance --live $T)

fuzz:				## each fuzz target for SECONDS=60 (clang, libFuzzer); T=PATTERN some, SEED=1 the same again
	@$(MAKE) FUZZ=1 CC=clang SAN=address,undefined O=$O-fuzz fuzz-build
	@O=$O-fuzz SEED='$(SEED)' tests/fuzz/run $(or $(SECONDS),60) '$T'

fuzz-build: $(FUZZERS)

# Tests that count what a process allocates or opens may fail in such a build: tests pass or fail in "check".
coverage:			## branches of formats/ and decode/ that tests take (docs/coverage.txt); fails under GATE
	@$(MAKE) COV=1 O=$O-cov check-build
	@find $O-cov -name '*.gcda' -delete
	-@O=$O-cov COV=1 tests/run unit golden bad/ api/ fuzz compat cli/decode hostile/faults
	@tests/coverage.py --write docs/coverage.txt $O-cov formats=$(or $(GATE),97) decode=$(or $(GATE),95)

torture-damage: check-build	## every bit, every length, DAMAGE=1000000 random damages
	@O=$O tests/torture/run --damage $(or $(DAMAGE),1000000) $(TORTURE)

asan:				## every test but those that trace, under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(MAKE) SAN=address,undefined O=$O-asan check T='$(or $T,api/|unit/|fuzz/|golden/|bad/|hostile/|compat/|cli/)'

tsan:				## capture's threads under ThreadSanitizer: its unit tests, and live ones (root)
	@$(MAKE) SAN=thread O=$O-tsan check T='$(or $T,$(TSAN_TESTS))'
TSAN_TESTS = live/((01|06|07|08|12|21|22|25|29|41|44|50|51|54|57|58)-|45-io)|unit/capture

msan:				## reading and decoding under MemorySanitizer (clang): unit tests, golden and bad recordings
	@$(MAKE) SAN=memory CC=clang O=$O-msan T='unit/(formats|decode)' check-build $O-msan/iotap-decode \
		$O-msan/tests/golden/assemble
	@O=$O-msan CC=clang SAN=memory tests/run '$(or $T,unit/(formats|decode)|golden/)'

valgrind: check-build		## unit tests and the readers under valgrind: no error, nothing lost
	@O=$O tests/valgrind '$T'

demo: all			## record a small workload and show what can be asked of it
	@O=$O tests/demo.sh

torture: check-build		## hours of loss, kills and load (docs/torture.md): RUNS=1000 KILLS=1000 SOAK=5 (minutes)
	@O=$O tests/torture/run --runs $(or $(RUNS),1000) --kills $(or $(KILLS),1000) --soak $(or $(SOAK),5) \
		--crowd $(or $(CROWD),1) --damage $(or $(DAMAGE),1000000) --flow $(or $(FLOW),100) \
		--starved $(or $(STARVED),100000) $(TORTURE)
TORTURE = $(if $(SECONDS),--seconds $(SECONDS)) $(if $(FRESH),--fresh) $(if $(WRITE),--write $(WRITE))

bench: check-build		## measure all budgets, write docs/PERFORMANCE.md; T=PATTERN measures some
	@O=$O tests/bench/run '$T'

bench-check: check-build	## fail if a ratio is worse than in docs/performance.tsv
	@O=$O tests/bench/run --check '$T'

bench-deps:			## install what bench compares with
	@.ci/setup bench

lint: all			## layers, symbols, linked libraries, help texts, shell scripts
	@O=$O tests/run tests/lint

FORMATTED = $(shell git ls-files '*.c' '*.h')
format:				## lay out the C files as .clang-format says (.def files are left alone)
	clang-format -i $(FORMATTED)

# Install ----------------------------------------------------------------------------------------

define PKGCONFIG
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCDIR)

Name: libiotap
Description: Reads the recordings of iotap, the flight recorder for I/O
Version: $(VERSION)
Libs: -L$${libdir} -liotap
Libs.private: $(LIBS_LIBRARY) -pthread
Cflags: -I$${includedir}
endef
export PKGCONFIG
D = $(DESTDIR)
install: all			## install programs, library, header, man pages, completions (PREFIX, DESTDIR)
	@install -d $D$(BINDIR) $D$(LIBDIR)/pkgconfig $D$(INCDIR)
	$(if $(PROGRAMS),@install -m 755 $(PROGRAMS) $D$(BINDIR))
	@install -m 644 $O/libiotap.a $D$(LIBDIR)
	$(if $(EXTENSION),@install -m 755 $(EXTENSION) $D$(LIBDIR))
	@install -m 755 $O/libiotap.so $D$(LIBDIR)/libiotap.so.$(VERSION)
	@ln -sf libiotap.so.$(VERSION) $D$(LIBDIR)/libiotap.so.$(SOVERSION)
	@ln -sf libiotap.so.$(SOVERSION) $D$(LIBDIR)/libiotap.so
	$(if $(wildcard formats/iotap.h),@install -m 644 formats/iotap.h $D$(INCDIR))
	@printf '%s\n' "$$PKGCONFIG" > $D$(LIBDIR)/pkgconfig/iotap.pc
	@for page in $(wildcard docs/*.[1-8] docs/man/*.[1-8]); do \
		install -D -m 644 $$page $D$(SHAREDIR)/man/man$${page##*.}/$${page##*/} || exit 1; done
	@for file in $(wildcard docs/completions/*.bash); do name=$${file##*/}; install -D -m 644 $$file \
		$D$(SHAREDIR)/bash-completion/completions/$${name%.bash} || exit 1; done
	@for file in $(wildcard docs/completions/_*); do install -D -m 644 $$file \
		$D$(SHAREDIR)/zsh/site-functions/$${file##*/} || exit 1; done
	@echo 'iotap $(VERSION) is installed under $D$(PREFIX)'

clean:				## remove everything that was built
	rm -rf $O

help:				## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16
	@echo 'Variables:'
	@printf '  %-13s %s\n' V=1 'show every command' O=DIR 'build there instead of build/' \
		SAN=address,undefined 'with sanitizers' COV=1 'count lines run (gcov)' \
		DEBUG=1 'for a debugger' WERROR=1 'warnings are errors' FUZZ=1 'fuzzers by libFuzzer (CC=clang)'

-include $(shell find $O -name '*.d' 2>/dev/null)
