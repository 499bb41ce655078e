# bombs.sh - a gigabyte of zeros in a compressed block of some 30 KB is refused at once: tests/hostile/bombs.py

. tests/lib/check.sh
need_program iotap-decode iotap-report tests/golden/assemble
need_tool python3 zstd
[ -z "${SAN:-}" ] || skip_all "sanitizers take memory and time of their own"
[ -z "${COV:-}" ] || skip_all "counting takes time of its own"
tmpdir
PYTHONDONTWRITEBYTECODE=1 python3 tests/hostile/bombs.py "$B" "$tmp" >"$tmp/said" 2>&1 || echo "not ok - bombs.py ended" >>"$tmp/said"
cat "$tmp/said"
! grep -q '^not ok' "$tmp/said" || check_failed=1
