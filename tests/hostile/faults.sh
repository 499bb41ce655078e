# faults.sh - offline programs that get no memory, cannot read or cannot write: tests/hostile/faults.py
#
# MOST=N: at how many of the places each is made to fail (30; a fifth for forms without memory alone), and at the first
# 12. All of them: make torture.

. tests/lib/check.sh
need_program iotap-decode iotap-analyze iotap-report tests/golden/assemble
need_tool python3
[ -z "${SAN:-}" ] || skip_all "a sanitizer has an allocator of its own"
tmpdir
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -fPIC -shared -o "$tmp/starve.so" tests/hostile/starve.c -ldl || exit 1
PYTHONDONTWRITEBYTECODE=1 python3 tests/hostile/faults.py "$B" "$tmp" "$tmp/starve.so" "${MOST:-30}" >"$tmp/said" 2>&1 ||
	echo "not ok - faults.py ended" >>"$tmp/said"
cat "$tmp/said"
! grep -q '^not ok' "$tmp/said" || check_failed=1
