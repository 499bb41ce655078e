# names.sh - names that somebody hostile would choose, through every program: tests/hostile/names.py

. tests/lib/check.sh
need_program iotap iotap-capture iotap-decode iotap-analyze iotap-report tests/golden/assemble
need_tool python3
tmpdir
# situation: 116
PYTHONDONTWRITEBYTECODE=1 python3 tests/hostile/names.py "$B" "$tmp" >"$tmp/said" 2>&1 || echo "not ok - names.py ended" >>"$tmp/said"
cat "$tmp/said"
! grep -q '^not ok' "$tmp/said"
