# iotap_driver.sh - the driver's own business, with scripts in the place of the programs it joins
#
# A copy of iotap stands beside a fake iotap-capture and a fake iotap-decode, which write down how they
# were called. Needs neither root nor a kernel that traces.

. tests/lib/check.sh
need_program iotap
tmpdir
cp "$B/iotap" "$tmp/iotap"
export LOG=$tmp

# FAKE says what the fake does once it has written its first bytes.
cat >"$tmp/iotap-capture" <<'END'
#!/bin/bash
printf '%s\n' "$@" >"$LOG/capture.args"
echo $$ >"$LOG/capture.pid"
for word in "$@"; do
	case $word in --output=*) out=${word#--output=} ;; esac
done
case $FAKE in
refuse) echo "iotap-capture: not permitted" >&2; exit 1 ;;
usage) echo "iotap-capture: bad value" >&2; exit 2 ;;
esac
# As iotap-capture does it: the descriptor is its own, not its command's.
exec 9>"$out"
eval "exec ${out##*/}>&-"
trap 'echo stop TERM >&9; echo TERM >>"$LOG/capture.signals"; exit 0' TERM
trap 'echo stop INT >&9; echo INT >>"$LOG/capture.signals"; exit 0' INT
printf 'IoTB first\n' >&9
case $FAKE in
incomplete) echo more >&9; exit 4 ;;
many) for i in 1 2 3 4 5 6 7 8; do printf '%0100000d\n' $i >&9 || exit 0; done ;;
die) kill -9 $$ ;;
stubborn) trap '' INT TERM; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1 9>&-; done ;;
wait) for i in $(seq 100); do sleep 0.1 9>&-; done ;;
command)
	while [ "$1" != -- ]; do shift; done
	shift
	"$@" 9>&-
	exit $?
	;;
esac
exit 0
END
cat >"$tmp/iotap-decode" <<'END'
#!/bin/bash
printf '%s\n' "$@" >"$LOG/decode.args"
echo $$ >"$LOG/decode.pid"
case $FAKE_DECODE in
fail) echo "iotap-decode: no" >&2; exit 1 ;;
incomplete) cat; exit 4 ;;
die) kill -9 $$ ;;
wait) exec sleep 10 ;;
head) head -c 5; exit 0 ;;
esac
trap "" INT
input=${!#}
[ "$input" = - ] && exec cat
exec cat -- "$input"
END
chmod +x "$tmp/iotap-capture" "$tmp/iotap-decode"
cd "$tmp" || exit 1

# run [ARG...]: status, out, err
run() {
	status=0
	rm -f ./*.args ./*.pid capture.signals
	timeout 60 ./iotap "$@" >out 2>err </dev/null || status=$?
	out=$(cat out) err=$(cat err)
}

# A zombie that nobody has waited for yet does not run.
running() {
	[ -s "$1" ] && grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$(cat "$1")/status" 2>/dev/null
}

gone() {
	! running capture.pid && ! running decode.pid
}

# Usage ----------------------------------------------------------------------------------------------

refused() {
	local name=$1 words=$2
	shift 2
	run "$@"
	check_eq "$name: exit status" 2 "$status"
	check_match "$name: says why" "^iotap: .*$words" "$err"
	check_eq "$name: nothing ran" "" "$(ls ./*.args 2>/dev/null)"
}

refused "no TARGET" "nothing to trace"
refused "--replay with --duration" "--duration" --replay x -d 5
refused "--replay with -f" "--children" --replay x -f
refused "--replay with -n" "--names" --replay x -n
refused "--replay with --buffer" "--buffer" --replay x --buffer 5
refused "--replay with --record" "--record" --replay x --record y
refused "--replay with a TARGET" "TARGET" --replay x 12
refused "--replay with a COMMAND" "COMMAND" --replay x -- true
refused "--files-only with --net-only" "exclude each other" --files-only --net-only 1
refused "--json with -F csv" "exclude each other" --json -F text 1
refused "unknown format" "none of text" -F xml 1
refused "TARGET and COMMAND" "not both" 1 -- true
refused "-- without a COMMAND" "followed by a COMMAND" --
refused "--user without a COMMAND" "--user" --user nobody 1
refused "--record -" "needs a file" --record - 1
refused "--force without --record" "--force" --force 1
refused "--record and --output the same" "same file" --record x --output x 1
refused "unknown option" "no-such" --no-such 1
refused "an option that there is not" "unknown option" --no-such-option 1
refused "bad duration" "'soon' is not a duration" -d soon 1

# What the programs are given ------------------------------------------------------------------------

FAKE= run -f -n -p 7 -p 8 --name one --name -two -d 1.5 --buffer 64k --wait --exclude 9 --with one --with two,three --argv 12 curl
check_eq "capture is given its options and targets" "0
--children
--names
--pid=7
--pid=8
--name=one
--name=-two
--wait
--exclude=9
--with=one
--with=two,three
--duration=1500000000ns
--argv
--buffer=64k
12
curl" "$status
$(sed 1d capture.args)"
check_match "capture is given a descriptor" '^--output=/dev/fd/[0-9]+$' "$(head -n 1 capture.args)"

FAKE= run -qq 12
check_eq "decode is told to be quiet twice" "--format=text --quiet --quiet --live -" "$(tr '\n' ' ' <decode.args | sed 's/ $//')"
FAKE= run -q --files-only --top 5 --all-ops --json 12
check_eq "decode is given its options" "--format=json --quiet --files-only --all-ops --top=5 --live -" \
	"$(tr '\n' ' ' <decode.args | sed 's/ $//')"
check_eq "what capture wrote comes out" "IoTB first" "$out"

# Exit status ----------------------------------------------------------------------------------------

FAKE=refuse run --record r.iotap --output o.txt 12
check_eq "capture cannot trace: its status" 1 "$status"
check_eq "capture cannot trace: its message alone" "iotap-capture: not permitted" "$err"
check_eq "capture cannot trace: nothing made" "" "$(ls -A | grep -E 'r.iotap|o.txt|\.iotap-|decode.args')"

echo old >o.txt
FAKE=refuse run --output o.txt 12
check_eq "capture cannot trace: an older --output stays" "old" "$(cat o.txt)"
printf 'IoTB a recording' >r.txt
FAKE= run --output r.txt 12
check_eq "--output on a recording is refused" 1 "$status"
check_match "--output on a recording says why" 'is a recording' "$err"
check_eq "--output on a recording leaves it" "IoTB a recording" "$(cat r.txt)"
FAKE= run --force --output r.txt 12
check_eq "--output with --force replaces it" 0 "$status"
ln -sf o.txt link.txt
FAKE= run --output link.txt 12
check_match "--output through a symbolic link is refused" 'symbolic link' "$err"
rm -f n.txt
FAKE= run --output n.txt 12
check_eq "--output is the user's alone" 600 "$(stat -c %a n.txt)"
rm -f o.txt

FAKE=usage run 12
check_eq "capture's usage error passes through" 2 "$status"
FAKE=incomplete run 12
check_eq "incomplete: 0" 0 "$status"
FAKE=incomplete run --strict 12
check_eq "incomplete under --strict: 4" 4 "$status"
FAKE='' FAKE_DECODE=incomplete run --strict 12
check_eq "decode found it incomplete, --strict: 4" 4 "$status"
FAKE='' FAKE_DECODE=incomplete run 12
check_eq "decode found it incomplete: 0" 0 "$status"
FAKE='' FAKE_DECODE=fail run 12
check_eq "decode failed: 1" 1 "$status"
FAKE=die run 12
check_eq "capture killed: 1" 1 "$status"
check_match "capture killed: said" '^iotap: iotap-capture was ended by signal 9' "$err"
check_eq "capture killed: what it wrote is shown" "IoTB first" "$out"
FAKE=many FAKE_DECODE=die run 12
check_eq "decode killed: 1" 1 "$status"
check_match "decode killed: said" '^iotap: iotap-decode was ended by signal 9' "$err"

# COMMAND --------------------------------------------------------------------------------------------

FAKE=command run -- sh -c 'echo to stdout; echo to stderr >&2; exit 7'
check_eq "COMMAND: its exit status" 7 "$status"
check_eq "COMMAND: it owns stdout" "to stdout" "$out"
check_match "COMMAND: iotap writes to stderr" '^IoTB first$' "$err"
FAKE=command run --output o.txt -- sh -c 'echo to stdout; ls /proc/self/fd | wc -l >fds'
check_eq "COMMAND with --output: the file" "IoTB first" "$(cat o.txt)"
check_eq "COMMAND with --output: stderr is the command's" "" "$err"
ls /proc/self/fd | wc -l >fds_without
check_eq "COMMAND has no descriptor more" "$(cat fds_without)" "$(cat fds)"
FAKE=command run -- --not-an-option
check_eq "COMMAND: not found is 127" 127 "$status"
check_eq "COMMAND: its words are not options" "--not-an-option" "$(tail -n 1 capture.args)"

# --record -------------------------------------------------------------------------------------------

rm -f r.iotap
FAKE=many run --record r.iotap 12
check_eq "--record: status" 0 "$status"
check_files "--record: the file is what decode read" out r.iotap
check_eq "--record: mode" 600 "$(stat -c %a r.iotap)"
check_eq "--record: no temporary file" "" "$(ls -A | grep '^\.iotap-')"
FAKE= run --record r.iotap 12
check_eq "--record replaces a recording" "IoTB first" "$(cat r.iotap)"

echo precious >text
run --record text 12
check_eq "--record, a file that is no recording: status" 1 "$status"
check_match "--record, a file that is no recording: said" 'text: exists and is not a recording' "$err"
check_eq "--record, a file that is no recording: decode did not run" "" "$(ls decode.args 2>/dev/null)"
check_eq "--record, a file that is no recording: stays" precious "$(cat text)"
FAKE= run --record text --force 12
check_eq "--record --force replaces it" "IoTB first" "$(cat text)"

cp text target
ln -s target link
run --record link 12
check_eq "--record never follows a link" "1 IoTB first" "$status $(cat target)"
run --record . 12
check_match "--record, a directory" 'is a directory|Is a directory' "$err"
run --record no/such/file 12
check_match "--record, no directory" 'no/such/file: cannot open its directory: No such' "$err"
check_eq "--record, no directory: status" 1 "$status"

mkfifo fifo
timeout 60 cat fifo >from_fifo &
FAKE=many run --record fifo 12
wait $!
check_files "--record to a FIFO" out from_fifo

FAKE=many run --record /dev/full 12
check_eq "--record, full disk: status" 1 "$status"
check_eq "--record, full disk: one message" \
	"iotap: /dev/full: recording stopped after 0 bytes, tracing goes on: No space left on device" "$err"
check_match "--record, full disk: tracing went on" '^0+8$' "$out"

status=0
(ulimit -f 200; FAKE=many exec timeout 60 ./iotap --record limited.iotap --output /dev/null 12) 2>err || status=$?
check_match "--record, file size limit: one message" 'limited.iotap: recording stopped after .* File too large' "$(cat err)"
check_eq "--record, file size limit: status" 1 "$status"

FAKE=wait FAKE_DECODE=head run --record r.iotap 12
check_eq "decode ends first: capture is told once, the recording has its end" "0 TERM stop TERM" \
	"$status $(cat capture.signals) $(tail -n 1 r.iotap)"

# --replay -------------------------------------------------------------------------------------------

echo some trace >trace
run --replay trace -q
check_eq "--replay" "0 some trace" "$status $out"
check_eq "--replay: decode's options" "--format=text --quiet --replaying=trace trace" "$(tr '\n' ' ' <decode.args | sed 's/ $//')"
check_eq "--replay: no capture" "" "$(ls capture.args 2>/dev/null)"
echo odd name >-q
run --replay -q
check_eq "--replay of a file with the name of an option" "odd name" "$out"
rm -f o.txt
run --replay trace --output o.txt
check_eq "--replay --output" "some trace" "$(cat o.txt)"
check_eq "--replay from a pipe" "through" "$(echo through | ./iotap --replay -)"
check_match "--replay from a pipe: what it is called" "--replaying=standard input" "$(cat decode.args)"
check_eq "--replay of a descriptor" "by number" "$(./iotap --replay <(echo by number))"

# Signals --------------------------------------------------------------------------------------------

# begin [ARG...]: iotap in a group of its own, in the background; $pid. A shell without job control
# has the background ignore SIGINT.
begin() {
	rm -f ./*.args ./*.pid capture.signals
	setsid env --default-signal=INT ./iotap "$@" >out 2>err </dev/null &
	pid=$!
	check_pids="$check_pids $pid"
	wait_for 30 test -s decode.pid && wait_for 30 test -s out
}

finish() {
	status=0
	wait "$pid" || status=$?
	out=$(cat out) err=$(cat err)
}

export FAKE=wait FAKE_DECODE=
for sig in INT TERM HUP QUIT ALRM XCPU RTMIN; do
	case $sig in INT) told=INT ;; *) told=TERM ;; esac
	if [ $told = $sig ]; then
		begin 12
		kill -$sig $pid
		finish
		check_eq "$sig to iotap alone: capture is told, decode ends with its input" "0 $sig stop $sig" \
			"$status $(cat capture.signals) $(tail -n 1 out)"
	else
		begin 12
		kill -$sig $pid
		finish
		check_eq "$sig to iotap alone: everything ends" "$(running capture.pid || echo ended)" ended
	fi
done

begin 12
kill -USR1 $pid
kill -INT $pid
finish
check_eq "USR1 changes nothing" "0 INT stop INT" "$status $(cat capture.signals) $(tail -n 1 out)"

begin 12
kill -INT -$pid
finish
check_match "INT to the whole group: capture ends the trace" '^stop INT' "$(cat out)"

begin --record r2.iotap 12
kill -TERM -$pid
finish
check_match "TERM to the group with --record: the end is shown" '^stop TERM' "$(cat out)"
check_match "TERM to the group with --record: and saved" '^stop TERM' "$(cat r2.iotap)"

export FAKE=stubborn
begin 12
kill -INT $pid
wait_for 30 has_taken $pid
sleep 0.3
kill -INT $pid
finish
check_eq "a second signal forces" 130 "$status"
check_that "a second signal leaves nobody" wait_for "$(a_second)" gone

export FAKE=wait
for victim in iotap capture decode; do
	begin --record r3.iotap 12
	case $victim in
	iotap) kill -9 $pid ;;
	*) kill -9 "$(cat $victim.pid)" ;;
	esac
	check_that "kill -9 of $victim: nobody is left within a second" wait_for "$(a_second)" gone
	finish
	[ $victim = iotap ] || check_eq "kill -9 of $victim: status" 1 "$status"
done

unset FAKE FAKE_DECODE
rm iotap-decode
run 12
check_eq "a program is missing: status" 1 "$status"
check_match "a program is missing: said" '^iotap: iotap-decode must stand beside iotap' "$err"
