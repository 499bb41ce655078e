# sql.sh - statements and databases that somebody hostile wrote: tests/hostile/sql.py
# timeout: 400

. tests/lib/check.sh
need_program iotap-analyze tests/golden/assemble
need_tool python3
tmpdir
PYTHONDONTWRITEBYTECODE=1 python3 tests/hostile/sql.py "$B" "$tmp" >"$tmp.said" 2>&1 || echo "not ok - sql.py ended" >>"$tmp.said"
cat "$tmp.said"
! grep -q '^not ok' "$tmp.said" || check_failed=1
rm -f "$tmp.said"
