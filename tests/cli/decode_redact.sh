# decode_redact.sh - iotap-decode --redact: no name or address of 1,000 is left, sums are; --salvage

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
tmpdir
decode=$B/iotap-decode

# Canaries in every place that holds text, in unknown records and in what a later version has added.
{
	cat <<'END'
block header session=7 codec=zstd
host format_major=1 os=1 arch=x86_64 cpus=2 tool="iotap-capture 0.1.0" hostname="CANARY-host" release="6.1.0" boot_id="CANARY-boot" options="-f CANARY-option" more="CANARY-more"
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
request kind=2 text="CANARY-request"
request kind=3 pid=10 text="/opt/CANARY-command/run --password CANARY-password"
block state
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
interface netns=1 ifindex=2 name="CANARY-if0" address=10.77.0.1
record type=99 body="CANARY-unknown"
block records
END
	for i in $(seq 1 90); do
		echo "process time_ns=500000000$((i % 10)) pid=$i start_ns=1 how=1 comm=\"CANARY-c$i\" exe=\"/usr/bin/CANARY-e$i\" arg0=\"CANARY-a$i\\x00--CANARY-arg$i\\x00\" cwd=\"/home/CANARY-d$i\""
		echo "rename time_ns=5000000100 pid=$i tid=$i comm=\"CANARY-r$i\""
		echo "exec time_ns=5000000100 pid=$i start_ns=1 comm=\"CANARY-x$i\" path=\"/opt/CANARY-p$i\" arg0=\"CANARY-z$i\\x00CANARY-y$i\""
		echo "target id=$((10 * i + 1)) origin=call kind=file flags=16 dev=9 ino=$i text=\"/home/CANARY-u$i/CANARY-f$i.CANARY-ext$i\" claimed=\"CANARY-link$i\""
		echo "target id=$((10 * i + 2)) origin=call kind=socket flags=16 family=inet sock_type=1 local=10.77.$i.1 local_port=5 remote=10.78.$i.2 remote_port=80 device=\"CANARY-n$i\""
		echo "target id=$((10 * i + 3)) origin=call kind=socket flags=16 family=unix sock_type=1 text=\"\\x00CANARY-s$i\" peer=\"/run/CANARY-o$i\""
		echo "target id=$((10 * i + 4)) origin=call kind=memfd flags=16 text=\"CANARY-m$i\""
		echo "target id=$((10 * i + 5)) origin=call kind=anon flags=16 text=\"pidfd:CANARY-i$i\""
		echo "target id=$((10 * i + 6)) origin=call kind=anon flags=16 text=\"[CANARY-j$i]\""
		echo "target id=$((10 * i + 7)) origin=claim kind=file claimed=\"CANARY-g$i/x\""
	done
	echo 'notice time_ns=5000000200 level=2 text="left out: 7 (CANARY-notice)"'
	echo 'aggregate level=1 pid=1 call=write id=11 calls=3 bytes=30 first_ns=5000000300 last_ns=5000000400'
	echo 'block calls'
	for i in $(seq 1 90); do
		for k in 1 2 3 4 5 6; do
			echo "call key=5000001$((100 + i))$k duration=$k tid=$i tgid=$i call=write flags=fd|requested fd=$k id=$((10 * i + k)) requested=$((i * k)) result=$((i * k))"
		done
	done
	printf 'block end\nend time_ns=60000000000 reason=1 calls=540 blocks=5\n'
} >"$tmp/story"
canaries=$(grep -o 'CANARY-[a-z]*[0-9]*' "$tmp/story" | sort -u | wc -l)
check_that "there are 1,000 canaries and more ($canaries)" test "$canaries" -ge 1000
"$B/tests/golden/assemble" <"$tmp/story" >"$tmp/open.iotap"
head -c 32 /dev/urandom >"$tmp/key"

check_status "--redact --output" 0 "$decode" --redact "$tmp/key" --output "$tmp/hidden.iotap" "$tmp/open.iotap"
"$decode" -F events "$tmp/hidden.iotap" >"$tmp/hidden.events"
"$decode" --dump "$tmp/hidden.iotap" >"$tmp/hidden.dump"
"$decode" --dump "$tmp/open.iotap" >"$tmp/open.dump"
found() {
	cat "$tmp/hidden.iotap" "$tmp/hidden.events" "$tmp/hidden.dump" | LC_ALL=C grep -aoE "$1" | sort | uniq -c | head -n 5
}
check_that "the canaries are in the recording that is hidden" test "$(grep -c CANARY "$tmp/open.dump")" -ge 900
check_eq "none is in what is written, as it is, uncompressed and decoded" "" "$(found 'CANARY')"
check_eq "nor is an address" "" "$(found '10\.7[78]\.[0-9]+\.[12]')"
check_eq "a recording of its owner alone" 600 "$(stat -c %a "$tmp/hidden.iotap")"

# Numbers, kinds and the shape of everything are the same.
shape() {
	"$decode" -F json "$1" | sed -E \
		-e 's/,"argv":\[[^]]*\]//; s/,"argv_cut":true//' \
		-e 's/"(path|name|proto_|target|hostname|local|remote|interface|text|path_hex|target_hex)":"[^"]*"/"\1":""/g'
}
shape "$tmp/open.iotap" >"$tmp/open.json"
shape "$tmp/hidden.iotap" >"$tmp/hidden.json"
sum() {
	tail -n 1 "$1" | sed -E 's/,"files":.*"ops":\[/,"ops":[/; s/"interfaces":\[[^]]*\]//'
}
head -n -1 "$tmp/open.json" | grep -v '"type":"notice"' >"$tmp/open.events"
head -n -1 "$tmp/hidden.json" | grep -v '"type":"notice"' | sed 's/,"path_hex":""//' >"$tmp/hidden.lines"
sed -i 's/,"path_hex":""//' "$tmp/open.events"
check_files "the events are the same but for names" "$tmp/open.events" "$tmp/hidden.lines"
check_eq "and so are the totals" "$(sum "$tmp/open.json")" "$(sum "$tmp/hidden.json")"
rows() {
	"$decode" -F json "$1" | tail -n 1 | grep -oE '"target":"[^"]*",[^}]*' | sed 's/"target":"[^"]*",//; s/,"target_hex.*//' | sort
}
check_eq "and the rows" "$(rows "$tmp/open.iotap")" "$(rows "$tmp/hidden.iotap")"

# One key, one pseudonym; another key, another one; no key, never the same.
"$decode" --redact "$tmp/key" "$tmp/open.iotap" | "$decode" -F json - >"$tmp/again.json"
check_files "the same key says the same" <("$decode" -F json "$tmp/hidden.iotap") "$tmp/again.json"
one=$("$decode" --redact - "$tmp/open.iotap" | "$decode" -q - 2>&1 | sed -n 2p)
two=$("$decode" --redact - "$tmp/open.iotap" | "$decode" -q - 2>&1 | sed -n 2p)
check_that "no key: another one each time" test "$one" != "$two"
head -c 15 "$tmp/key" >"$tmp/short"
check_status "a short key is refused" 2 "$decode" --redact "$tmp/short" -o "$tmp/no" "$tmp/open.iotap"
check_status "no key file" 1 "$decode" --redact "$tmp/nokey" -o "$tmp/no" "$tmp/open.iotap"
check_status "a file that is there is not replaced" 1 "$decode" --redact "$tmp/key" -o "$tmp/hidden.iotap" "$tmp/open.iotap"
ln -s "$tmp/elsewhere" "$tmp/link"
check_status "no link is followed" 1 "$decode" --redact "$tmp/key" -o "$tmp/link" "$tmp/open.iotap"
check_that "and nothing made there" test ! -e "$tmp/elsewhere"
check_that "what failed leaves no file" test ! -e "$tmp/no"
check_status "a filter and a redaction" 0 "$decode" --redact "$tmp/key" --pid 5 -o "$tmp/five" "$tmp/open.iotap"
check_eq "go together" 6 "$("$decode" -F json "$tmp/five" | grep -c '"type":"event"')"

# -- salvage --

cp "$tmp/open.iotap" "$tmp/bad.iotap"
size=$(stat -c %s "$tmp/bad.iotap")
check_status "--salvage of a whole one" 0 "$decode" --salvage -o "$tmp/whole.iotap" "$tmp/open.iotap"
check_files "is the same" <("$decode" -F json "$tmp/open.iotap") <("$decode" -F json "$tmp/whole.iotap")
head -c $((size - 100)) "$tmp/open.iotap" >"$tmp/cut.iotap"
check_status "--salvage of a cut one" 4 "$decode" --salvage -o "$tmp/saved.iotap" "$tmp/cut.iotap"
for option in --salvage "--redact -"; do
	# shellcheck disable=SC2086
	check_match "$option of a cut one says why that is its status" "cut.iotap is incomplete" \
		"$("$decode" $option "$tmp/cut.iotap" 2>&1 >"$tmp/saved.again")"
done
check_eq "--salvage of a whole one says nothing" "" "$("$decode" --salvage "$tmp/open.iotap" 2>&1 >"$tmp/saved.again")"
check_match "reads without damage" "^the recording is sound|^the recording is whole" "$("$decode" --check "$tmp/saved.iotap")"
check_status "but says that it is a part" 4 "$decode" "$tmp/saved.iotap"
check_match "in words" "salvaged from a damaged recording: parts are missing" "$("$decode" -q "$tmp/saved.iotap" 2>&1)"
check_eq "and has every call of before" \
	"$("$decode" -F json "$tmp/cut.iotap" | grep '"type":"event"')" \
	"$("$decode" -F json "$tmp/saved.iotap" | grep '"type":"event"')"
printf 'XXXXXXXX' | dd of="$tmp/bad.iotap" bs=1 seek=20 conv=notrunc status=none
check_status "--salvage without a header" 4 "$decode" --salvage -o "$tmp/headless.iotap" "$tmp/bad.iotap"
check_eq "keeps the calls" 540 "$("$decode" -F json "$tmp/headless.iotap" | grep -c '"type":"event"')"
check_no_match "reads without damage, too" '"cause":"damage"' "$("$decode" -F json "$tmp/headless.iotap")"

# Ended by a signal while it writes, whichever: no half recording.
ulimit -c 0
mkfifo "$tmp/fifo"
exec 4<>"$tmp/fifo"
for signal in TERM USR1 XCPU RTMIN $([ -n "$SAN" ] || echo SEGV); do	# a sanitizer has its own for that
	for form in --salvage "-F events"; do
		"$decode" $form -o "$tmp/ended" "$tmp/fifo" 4<&- 2>/dev/null &
		pid=$!
		check_that "$form: a recording under way is there" wait_for 20 test -e "$tmp/ended"
		kill -$signal $pid
		status=0
		wait $pid 2>/dev/null || status=$?
		check_eq "$form: ended by SIG$signal, it is removed" "$signal " \
			"$(kill -l $status) $(cd "$tmp" && ls -A | grep -x -e ended -e '\.iotap-.*')"
	done
done
exec 4<&-
