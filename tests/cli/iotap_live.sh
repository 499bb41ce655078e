# iotap_live.sh - iotap for real: COMMAND and its status, terminal and signals, errors at the start
#
# That a replay is the live output, that nothing is left after kill -9, and that nothing happens without
# rights is asked by tests/live.

. tests/lib/live.sh
need_bpf
need_program iotap iotap-decode
need_tool python3 ps
tmpdir
# Copies, told from those that somebody else runs.
mkdir "$tmp/bin"
cp "$B/iotap" "$B/iotap-capture" "$B/iotap-decode" "$tmp/bin/"
B=$tmp/bin

run() {
	status=0
	timeout 60 "$B/iotap" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}

# COMMAND --------------------------------------------------------------------------------------------

echo some text >"$tmp/file"
run -- dd if="$tmp/file" status=none bs=4096
check_eq "COMMAND: status and stdout are its own" "0 some text" "$status $out"
check_match "COMMAND: its read is reported on stderr" " read +[0-9]+ +4096 +10 .* $tmp/file\$" "$err"
check_match "COMMAND: then the summary" '^Totals' "$err"
run -- sh -c 'exit 7'
check_eq "COMMAND: exit status 7" 7 "$status"
run -- sh -c 'kill -TERM $$'
check_eq "COMMAND: killed by TERM" 143 "$status"
run -- "$tmp/no-such-program"
check_eq "COMMAND: not found" 127 "$status"
run -- "$tmp/file"
check_eq "COMMAND: not executable" 126 "$status"
run -q --output "$tmp/o.txt" -- sh -c 'echo to stdout; echo to stderr >&2'
check_eq "COMMAND with --output: stdout" "to stdout" "$out"
check_match "COMMAND with --output: stderr" '^to stderr$' "$err"
check_match "COMMAND with --output: the file has the summary" '^Totals' "$(cat "$tmp/o.txt")"
check_no_match "COMMAND with -q: no event lines" '^[0-9]{2}:[0-9]{2}:' "$(cat "$tmp/o.txt")"
ls /proc/self/fd >"$tmp/fds"
run -q --output /dev/null -- sh -c "ls /proc/self/fd >$tmp/fds_traced"
check_files "COMMAND has the caller's descriptors and no more" "$tmp/fds" "$tmp/fds_traced"
run -q --output /dev/null -- sh -c "grep -E '^(Sig(Blk|Ign|Cgt)|Uid|NoNewPrivs)' /proc/self/status >$tmp/state_traced"
sh -c "grep -E '^(Sig(Blk|Ign|Cgt)|Uid|NoNewPrivs)' /proc/self/status" >"$tmp/state"
check_files "COMMAND has the caller's signal state and privileges" "$tmp/state" "$tmp/state_traced"
run --json --output "$tmp/o.json" -- dd if="$tmp/file" of=/dev/null status=none
check_eq "--json: every line is an object" "" "$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    assert "type" in json.loads(line)' "$tmp/o.json" 2>&1)"

# Errors at the start --------------------------------------------------------------------------------

run 4194303
check_eq "no such pid: status" 1 "$status"
check_eq "no such pid: one line" 1 "$(wc -l <"$tmp/err")"
check_match "no such pid: says which" '4194303' "$err"
cp "$(command -v sleep)" "$tmp/iotap-slumber"
background "$tmp/iotap-slumber" 600
target=$!
run iotap-slumbe
check_eq "no such name: status" 1 "$status"
check_match "no such name: offers near ones" "iotap-slumbe'?.*iotap-slumber" "$err"
check_eq "no such name: nothing on stdout" "" "$out"

# Ends -----------------------------------------------------------------------------------------------

run -d 0.3 iotap-slumber
check_eq "--duration: status" 0 "$status"
check_match "--duration: the summary follows" '^Totals' "$out"
status=0
timeout -k 10 3 "$B/iotap" -f "$target" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
check_eq "timeout(1) sends it and its group TERM: status" 124 "$status"
check_match "timeout(1) sends it and its group TERM: the summary follows" '^Totals' "$(cat "$tmp/out")"

status=0
said=$( (timeout 60 "$B/iotap" --json -- sh -c 'while echo; do :; done | head -n 1000 >/dev/null' 2>&1 |
	head -n 1 >/dev/null; exit "${PIPESTATUS[0]}") 2>&1) || status=$?
check_eq "closed pipe: quiet, and the command's status" "0 " "$status $said"

# A full disk ----------------------------------------------------------------------------------------

mkdir "$tmp/small"
if mount -t tmpfs -o size=64k iotap-test "$tmp/small" 2>/dev/null; then
	cat >"$tmp/busy.sh" <<'END'
i=0
while [ $i -lt 300 ]; do
	echo $i >"$1/file-with-a-name-of-its-own-$i-$(((i * 7919) % 10007))"
	i=$((i + 1))
done
dd if=/dev/urandom of="$1/last" bs=7 count=20000 status=none
END
	mkdir "$tmp/dir"
	run --record "$tmp/small/r.iotap" --output "$tmp/all.txt" -f -- sh "$tmp/busy.sh" "$tmp/dir"
	check_eq "full disk: status" 1 "$status"
	check_eq "full disk: told once" 1 \
		"$(grep -c 'r.iotap: recording stopped after [0-9]* bytes, tracing goes on: No space left' "$tmp/err")"
	check_match "full disk: tracing went on to the end" '^ +0 B +0 +136[.]7 KiB +20000 +0  .*/last$' "$(cat "$tmp/all.txt")"
	run --replay "$tmp/small/r.iotap"
	check_match "full disk: what was saved can be read" 'file-with-a-name-of-its-own-0-0$' "$out"
	check_match "full disk: and is said to be a part" 'ends abruptly' "$err"
	umount "$tmp/small"
else
	skip "full disk" "cannot mount a tmpfs"
fi

# on_terminal SECONDS KEYS COMMAND...: runs it on a terminal of its own, types the keys so long after it
# said that it traces; what it printed, then "status N".
on_terminal() {
	timeout 100 python3 - "$@" <<'END'
import os, pty, signal, sys, time, select
wait, keys, command = float(sys.argv[1]), sys.argv[2].encode().decode("unicode_escape").encode(), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execvp(command[0], command)
begin, out = time.monotonic(), b""
while True:
    ready, _, _ = select.select([fd], [], [], 0.05)
    if ready:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        if b"tracing" not in out:
            begin = time.monotonic()
        out += more
    if keys and b"tracing" in out and time.monotonic() - begin > wait:
        os.write(fd, keys[:1])
        keys, begin, wait = keys[1:], time.monotonic(), 0.3
_, status = os.waitpid(pid, 0)
sys.stdout.write(out.decode("utf-8", "replace").replace("\r\n", "\n"))
print("status", os.waitstatus_to_exitcode(status))
END
}

said=$(on_terminal 0.7 '\x03' "$B/iotap" "$target")
check_match "Ctrl-C on a terminal: the summary" '^Totals' "$said"
check_match "Ctrl-C on a terminal: status 0" '^status 0$' "$said"
said=$(on_terminal 0.7 '\x03' "$B/iotap" --record "$tmp/c.iotap" "$target")
check_match "Ctrl-C with --record: status 0" '^status 0$' "$said"
check_status "Ctrl-C with --record: the recording is whole" 0 "$B/iotap-decode" --check "$tmp/c.iotap"
said=$(on_terminal 0.7 '\x03' "$B/iotap" -- sleep 20)
check_match "Ctrl-C with a COMMAND that it ends: its status" '^status 130$' "$said"
check_match "Ctrl-C with a COMMAND that it ends: the summary" '^Totals' "$said"
# Programs that others trace with have the same names in bpftool; a program lives as long as its process.
nobody_left() {
	! ps -eo stat=,args= | grep -v '^Z' | grep -F " $B/iotap" | grep -qv grep
}
check_that "nobody is left" wait_for "$(a_second)" nobody_left
