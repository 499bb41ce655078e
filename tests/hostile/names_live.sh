# names_live.sh - files, sockets, threads and programs with hostile names, traced for real

. tests/lib/live.sh
need_bpf
need_program iotap-decode iotap-analyze tests/hostile/work/bearer
need_tool python3
tmpdir
export PYTHONDONTWRITEBYTECODE=1
mkdir "$tmp/dir"
cp "$B/tests/hostile/work/bearer" "$tmp/$(printf 'b\033[2J\nx\377')"

python3 tests/hostile/names_live.py list >"$tmp/names"
timeout 60 "$B/iotap-capture" -f -o "$tmp/t.iotap" -- "$tmp/$(printf 'b\033[2J\nx\377')" "$tmp/dir" \
	<"$tmp/names" >"$tmp/out" 2>"$tmp/err"
check_eq "captured" "0 " "$? $(cat "$tmp/err")"
check_that "the laws hold" "$B/iotap-decode" --check "$tmp/t.iotap"
"$B/iotap-decode" -F json "$tmp/t.iotap" >"$tmp/json" 2>/dev/null
"$B/iotap-decode" --all-ops --no-summary "$tmp/t.iotap" >"$tmp/text" 2>"$tmp/text.err"
"$B/iotap-decode" --dump "$tmp/t.iotap" >"$tmp/dump"
"$B/iotap-analyze" sql -F tsv "$tmp/t.iotap" "SELECT hex(CAST(t.path AS BLOB)) FROM event e JOIN target t ON t.id = e.target
	JOIN call c ON c.id = e.call WHERE c.name = 'write' AND t.kind = 'file' AND substr(t.path, 1, length('$tmp/dir/')) = '$tmp/dir/'
	OR c.name = 'write' AND hex(substr(t.path, 1, length('$tmp/dir/'))) = hex(CAST('$tmp/dir/' AS BLOB)) ORDER BY e.number" >"$tmp/sql" 2>"$tmp/sql.err"
python3 tests/hostile/names_live.py check "$tmp" "$tmp/dir" >"$tmp/said" 2>&1 || echo "not ok - names_live.py ended" >>"$tmp/said"
cat "$tmp/said"
! grep -q '^not ok' "$tmp/said" || check_failed=1
