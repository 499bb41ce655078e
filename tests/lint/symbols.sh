# symbols.sh - what the library shows and what it may call
#
# Names that leave libiotap.so begin with iotap_. Nothing in the library prints, exits or aborts, and
# nothing outside the main files keeps state in file-scope variables.

. tests/lib/check.sh

need_program libiotap.so

bad=$(nm -D --defined-only "$B/libiotap.so" | awk '{ print $3 }' |
	grep -vE '^(iotap_[a-z0-9_]+|_init|_fini|_edata|_end|__bss_start|__(asan|odr_asan|ubsan|gcov|llvm)[A-Za-z0-9_.]*)(@.*)?$')
check_eq "libiotap.so exports iotap_ names only" "" "$bad"

# The header's functions and the exported ones are the same.
if [ -e formats/iotap.h ]; then
	declared=$(tr '\n' ' ' <formats/iotap.h | grep -oE 'IOTAP_API[^;]*;' | grep -oE 'iotap_[a-z0-9_]+ *\(' |
		tr -d ' (' | sort -u)
	exported=$(nm -D --defined-only "$B/libiotap.so" | awk '$3 ~ /^iotap_/ { print $3 }' | sort -u)
	if [ -e decode/consume.c ] || [ -n "$exported" ]; then
		check_eq "libiotap.so has every function of iotap.h" "" \
			"$(printf '%s\n' "$declared" | while read -r name; do
				printf '%s\n' "$exported" | grep -qx "$name" || echo "$name"
			done)"
	else
		skip "libiotap.so has every function of iotap.h" "the library has none yet"
	fi
fi

bad=$(nm -u "$B/libiotap.a" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u |
	grep -xE '_?exit|_Exit|quick_exit|abort|printf|vprintf|puts|putchar|perror|stdout|stderr|stdin|__printf_chk|__vprintf_chk|warnx?|errx?|pthread_create|fork|system|popen')
check_eq "libiotap neither prints, exits, forks nor starts threads" "" "$bad"

# Mutable variables: symbols in .data and .bss of every object but the main files. The one allowed
# kind is a volatile sig_atomic_t, and SQLite's own extension pointer.
mutable() {
	local object source
	find "$B" -name '*.o' ! -path "$B/tests/*" ! -path "$B/bpf/*" ! -name main.o ! -path "$B/report/iotap.o" |
		sort | while read -r object; do
		source=${object#"$B"/}
		source=${source%.o}.c
		[ -e "$source" ] || continue
		nm --format=sysv "$object" | awk -F'|' '{ gsub(/ /, "") } $7 ~ /^\.(data|bss|tdata|tbss)(\.[^r].*)?$/ && $4 ~ /OBJECT|TLS/ { print $1 }' |
			while read -r name; do
				[ "$name" = sqlite3_api ] && continue
				grep -qE "volatile sig_atomic_t +${name%%.*}\b" "$source" || echo "$source: $name"
			done
	done
}
if [ -n "${SAN:-}" ] || find "$B" -name '*.gcno' | grep -q .; then
	skip "no mutable variables outside the main files" "instrumented objects carry their own"
else
	check_eq "no mutable variables outside the main files" "" "$(mutable)"
fi
