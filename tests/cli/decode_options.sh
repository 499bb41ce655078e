# decode_options.sh - iotap-decode: options that exclude each other, times, several inputs, terminals, sockets
#
# What the options show is tests/cli/decode.sh's and tests/golden's.

. tests/lib/check.sh
need_program iotap-decode tests/golden/assemble
need_tool python3
tmpdir
decode="$B/iotap-decode"
for name in curl loss abrupt; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
done
file=$tmp/curl.iotap

# said NAME WORDS COMMAND...: refused with status 2, in these words
said() {
	local name=$1 words=$2 status=0 text
	shift 2
	text=$("$@" 2>&1 </dev/null) || status=$?
	check_eq "$name: status" 2 "$status"
	check_match "$name: why" "$words" "$text"
}

# What cannot be meant.
said "--check with --output" "--output is for recordings and event streams" "$decode" --check -o "$tmp/x" "$file"
said "--dump with --output" "--output is for recordings and event streams" "$decode" --dump -o "$tmp/x" "$file"
said "text with --output" "--output is for recordings and event streams" "$decode" -o "$tmp/x" "$file"
said "--redact with a format" "--redact and --salvage write a recording" "$decode" -F json --redact - "$file"
said "--salvage with a format" "--redact and --salvage write a recording" "$decode" -F csv --salvage "$file"
said "--redact of two" "--redact takes one FILE at a time" "$decode" --redact - "$file" "$tmp/loss.iotap"
said "--salvage of two" "--salvage takes one FILE at a time" "$decode" --salvage "$file" "$tmp/loss.iotap"
said "-F events of two" "-F events takes one FILE at a time" "$decode" -F events "$file" "$tmp/loss.iotap"
said "a process that cannot be" "no such process" "$decode" --pid 5000000000 "$file"
said "--from no time" "--from: 'noon' is no time" "$decode" --from noon "$file"
said "--to no time" "--to: 'noon' is no time" "$decode" --to noon "$file"
said "-F events --from no time" "--from: 'noon' is no time" "$decode" -F events --from noon "$file"
check_that "nothing was made" test ! -e "$tmp/x"

# Times before the beginning, before the boot, and behind all.
events() {
	"$decode" -F json "$@" "$file" | grep -c '"type":"event"'
}
all=$(events)
check_eq "from before the recording" "$all" "$(events --from @1600000000)"
check_eq "from before the machine was there" "$all" "$(events --from @1)"
check_eq "to before the machine was there" 0 "$(events --to @1)"
check_eq "to a time long after" "$all" "$(events --to @1999999999)"

# Several inputs.
check_status "one of them is not there" 1 "$decode" "$file" -- "$tmp/none.iotap"
check_match "which one" "none.iotap: cannot open it: No such file" "$("$decode" "$file" -- "$tmp/none.iotap" 2>&1)"
check_match "--replaying names them once" "^iotap: replaying all of it" \
	"$("$decode" -q --replaying "all of it" "$file" "$tmp/loss.iotap" 2>&1 >/dev/null)"
check_eq "a pipe and a file" "$("$decode" -F json "$file" "$tmp/loss.iotap" | grep -c '"type":"event"')" \
	"$(cat "$file" | "$decode" -F json - "$tmp/loss.iotap" | grep -c '"type":"event"')"
check_match "--live says how to stop" "tracing 4242 \(curl\); press Ctrl-C to stop" \
	"$("$decode" -q --live - <"$file" 2>&1 >/dev/null)"

# The worst of several proofs is the status, whatever their order; each says whose it is.
whole='counters time_ns=6 final=1 written=5 values=[7,7,5,0,0,0,1,0,1,0,0,0,1,0,0,5]'
sed "s/^end /$whole\n&/" tests/golden/rec/curl.rec | "$B/tests/golden/assemble" >"$tmp/whole.iotap"
sed "s/^end /$whole\n&/; s/values=.7,7/values=[7,8/" tests/golden/rec/curl.rec |
	"$B/tests/golden/assemble" >"$tmp/broken.iotap"
check_status "whole, incomplete" 4 "$decode" --check "$tmp/whole.iotap" "$file"
check_status "incomplete, whole" 4 "$decode" --check "$file" "$tmp/whole.iotap"
check_status "incomplete, broken" 1 "$decode" --check "$file" "$tmp/broken.iotap"
check_status "broken, incomplete" 1 "$decode" --check "$tmp/broken.iotap" "$file"
check_status "broken, broken" 1 "$decode" --check "$tmp/broken.iotap" "$tmp/broken.iotap"
check_eq "titles" "2" "$("$decode" --check "$tmp/whole.iotap" "$tmp/loss.iotap" | grep -c '^/.*\.iotap:$')"
check_status "--check of text" 1 "$decode" --check tests/golden/rec/curl.rec
check_status "--dump of text" 1 "$decode" --dump tests/golden/rec/curl.rec

# A part of a recording: each form says that it is one.
head -c 600 "$file" >"$tmp/cut.iotap"
python3 - "$file" "$tmp/damaged.iotap" <<'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
data[len(data) // 2] ^= 0xff
open(sys.argv[2], 'wb').write(data)
END
for part in cut damaged; do
	check_status "--dump of what is $part" 4 "$decode" --dump "$tmp/$part.iotap"
	check_status "--check of what is $part" 4 "$decode" --check "$tmp/$part.iotap"
	check_status "-F events of what is $part" 4 "$decode" -F events -o "$tmp/$part.events" "$tmp/$part.iotap"
done
check_status "--explain of what is incomplete: the call is there" 0 "$decode" --explain 0 "$tmp/abrupt.iotap"
check_match "a note on interfaces is of a summary" "nothing went over 'bogus'" \
	"$("$decode" -i bogus "$file" 2>&1 >/dev/null)"
check_no_match "not of a table" "nothing went over" "$("$decode" -F csv -i bogus "$file" 2>&1 >/dev/null)"

# A reader that has left before the first byte ends each form in silence.
cat >"$tmp/left.py" <<'END'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=w, stderr=subprocess.PIPE)
sys.stdout.write(f"{done.returncode} {done.stderr.decode()}")
END
for form in --dump --check "-F json" "-F events"; do
	# shellcheck disable=SC2086
	got=$(python3 "$tmp/left.py" "$decode" $form "$tmp/whole.iotap")
	check_eq "$form: nobody reads" "0 " "$got"
done
for form in --dump --check "-F json" "-F events"; do
	status=0
	# shellcheck disable=SC2086
	"$decode" $form "$tmp/whole.iotap" >/dev/full 2>"$tmp/err" || status=$?
	check_eq "$form: a full device" 1 "$status"
	check_match "$form: says so" "No space left on device" "$(cat "$tmp/err")"
done

# A socket is read as a pipe is. Where SIGINT is ignored it stays so.
cat >"$tmp/over_socket.py" <<'END'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
child = subprocess.Popen(sys.argv[2:], stdin=theirs)
theirs.close()
ours.sendall(open(sys.argv[1], 'rb').read())
ours.close()
sys.exit(child.wait())
END
check_match "a socket is tracing" "tracing 4242 \(curl\); press Ctrl-C to stop" \
	"$(python3 "$tmp/over_socket.py" "$file" "$decode" -q 2>&1 >/dev/null)"
mkfifo "$tmp/fifo"
(trap '' INT; exec "$decode" - <"$tmp/fifo" >"$tmp/out" 2>&1) &
pid=$!
exec 9>"$tmp/fifo"
head -c 500 "$file" >&9
wait_for 30 grep -q tracing "$tmp/out"
check_that "SIGINT that is ignored stays so" grep -q 'SigIgn:.*[2367abef]$' /proc/$pid/status
kill -INT $pid
kill -INT $pid
tail -c +501 "$file" >&9
exec 9>&-
status=0
wait $pid || status=$?
check_eq "and ends nothing" 0 "$status"

# A terminal is no place for bytes, and no input.
cat >"$tmp/on_terminal.py" <<'END'
import os, pty, sys
which = sys.argv[1]
pid, fd = pty.fork()
if pid == 0:
    if which == 'in':
        os.dup2(os.open('/dev/null', os.O_WRONLY), 1)
        os.dup2(os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT, 0o600), 2)
    else:
        os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
        os.dup2(os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT, 0o600), 2)
    os.execv(sys.argv[3], sys.argv[3:])
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
END
check_eq "no input but a terminal" 2 "$(python3 "$tmp/on_terminal.py" in "$tmp/said1" "$decode")"
check_match "says so" "no FILE: give a recording, or pipe one in" "$(cat "$tmp/said1")"
for form in "-F events" "--redact -" "--salvage"; do
	# shellcheck disable=SC2086
	check_eq "$form to a terminal" 2 "$(python3 "$tmp/on_terminal.py" out "$tmp/said2" "$decode" $form "$file")"
	check_match "$form says what to do" "is not for a terminal: give --output FILE" "$(cat "$tmp/said2")"
	rm -f "$tmp/said2"
done
