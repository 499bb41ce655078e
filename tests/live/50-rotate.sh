# 50-rotate.sh - files of a rotation: each whole and with all its names, together everything, the oldest gone

. tests/lib/trace.sh
need_trace

mkdir "$tmp/r"
events() {
	"$B/iotap-decode" -F json --all-ops "$@" 2>"$tmp/err" | grep -E '^\{"type":"(event|op)"'
}

# Under load, many names, many processes, until the fourth file is there. Where capture gets too little of the
# machine, calls become sums: each file is sound all the same, and nothing is missing.
cat >"$tmp/work.sh" <<'WORK'
i=0
while [ $i -lt 60 ]; do
	i=$((i + 1))
	head -c 1000 /etc/passwd >"$1/file$i"
done
until [ -e "$3.4" ]; do
	"$2" "$1/said" "$1/steady" 200000 500
done
WORK
status=0
timeout 60 "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --rotate-size 100k -- \
	sh "$tmp/work.sh" "$tmp/dir" "$w/rate" "$tmp/r/t.iotap" >"$tmp/out" 2>&1 || status=$?
check_eq "capture of a command that ends: its status" 0 "$status"
n=$(ls "$tmp/r" | wc -l)
check_that "more than three files" test "$n" -gt 3
files=$(seq -f "$tmp/r/t.iotap.%.0f" 1 "$n")
check_eq "numbered from 1, without a hole" "$n" "$(ls $files | wc -l)"
bad=
for file in $files; do
	"$B/iotap-decode" --check "$file" >"$tmp/check" 2>&1 ||
		{ [ $? = 4 ] && grep -q '[1-9][0-9]* losses stated' "$tmp/check"; } ||
		bad="$bad $file: $(cat "$tmp/check")"
done
check_eq "each is whole, or says what was lost" "" "$bad"
check_match "the laws of the whole are proved by the last" "^ok +exits = " "$(cat "$tmp/check")"
for file in $files; do
	events "$file"
done >"$tmp/each"
events $files >"$tmp/all"
check_that "alone or together they say the same of every call" cmp "$tmp/each" "$tmp/all"
wrote=$(awk '/^wrote/ { n += $2 } END { print n }' "$tmp/dir/said")
"$B/iotap-decode" -F json $files 2>/dev/null | grep '"type":"summary"' >"$tmp/summary"
check_eq "every byte is there" "$wrote" \
	"$(sed -nE 's|.*"target":"[^"]*/steady",[^}]*"write_bytes":([0-9]+).*|\1|p' "$tmp/summary")"
if grep -q '"lost_events":0,' "$tmp/summary"; then
	check_eq "every write is there" "$wrote" "$(grep -c '"syscall":"pwrite64".*/steady"' "$tmp/all")"
fi
check_eq "with the name of its file in each of them" "" \
	"$(grep '"syscall":"pwrite64"' "$tmp/each" | grep -v '/steady"' | head -n 3)"
# More of one is what the whole buffer held when the turn came: 524,288 calls of two bytes and less.
check_eq "files are as large as asked for, more or less" "" \
	"$(find "$tmp/r" -size +1200k | head -n 3)"
check_eq "files are for their owner alone" "" "$(find "$tmp/r" -type f ! -perm 600)"
parts=$(for file in $files; do "$B/iotap-decode" --dump "$file" | sed -n 's/.* series=\([0-9]*\) part=\([0-9]*\).*/\1 \2/p'; done)
check_eq "one series" 1 "$(echo "$parts" | cut -d' ' -f1 | sort -u | wc -l)"
check_eq "in order" "$(seq "$n")" "$(echo "$parts" | cut -d' ' -f2)"

# By time, the last ones kept, beginning after what is there.
rm -rf "$tmp/r"/*
printf 'IoTB' >"$tmp/r/t.iotap.7"
echo "a letter" >"$tmp/r/t.iotap.6"
timeout 60 "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --rotate-time 300ms --keep 2 -- \
	"$w/rate" "$tmp/dir/said2" "$tmp/dir/steady" 1000 2500 >"$tmp/out" 2>&1
last=$(ls -v "$tmp/r" | tail -n 1)
last=${last##*.}
check_that "by time: some files further ($last)" test "$last" -ge 12
check_eq "the last two are kept, and what is no recording" "t.iotap.6 t.iotap.$((last - 1)) t.iotap.$last" \
	"$(ls -v "$tmp/r" | xargs)"
check_eq "a letter is no recording" "a letter" "$(cat "$tmp/r/t.iotap.6")"

# A file that is taken away while it is written: the next one says so.
rm -rf "$tmp/r"/*
timeout 60 "$B/iotap-capture" -f -o "$tmp/r/t.iotap" --rotate-size 100k -- \
	sh -c 'rm "$1/t.iotap.1"; until [ -e "$1/t.iotap.3" ]; do dd if=/dev/zero of=/dev/null bs=1 count=9999; done' \
	sh "$tmp/r" >"$tmp/out" 2>&1
check_match "a file taken away is said in the next" "the file before this one was removed or replaced" \
	"$("$B/iotap-decode" -q "$tmp/r/t.iotap.2" 2>&1)"
check_no_match "and in no other" "was removed or replaced" "$("$B/iotap-decode" -q "$tmp/r/t.iotap.3" 2>&1)"

# With loss: sums begin where the file begins, and the last one proves them.
rm -rf "$tmp/r"/*
timeout 60 "$B/iotap-capture" -f --buffer 64k -o "$tmp/r/t.iotap" --rotate-size 100k -- \
	dd if=/dev/zero of=/dev/null bs=1 count=2000000 >"$tmp/out" 2>&1 &
waits=$!
check_pids="$check_pids $waits"
wait_for 30 tracing "$tmp/r/t.iotap.1"
for i in 1 2 3; do
	pkill -STOP -P $waits -x iotap-capture
	sleep 0.2
	pkill -CONT -P $waits -x iotap-capture
	sleep 0.2
done
wait $waits
check_that "after loss: several files" test "$(ls "$tmp/r" | wc -l)" -gt 2
last=$(ls -v "$tmp/r"/* | tail -n 1)
"$B/iotap-decode" --check "$last" >"$tmp/check" 2>&1
check_no_match "after loss: no law is broken in the last file" "^BROKEN" "$(cat "$tmp/check")"
check_match "after loss: the laws are proved" "^ok +aggregated = " "$(cat "$tmp/check")"
"$B/iotap-decode" -F json $(ls -v "$tmp/r"/*) 2>/dev/null | grep '"type":"summary"' >"$tmp/summary"
check_eq "after loss: together they give what dd moved" "2000000" \
	"$(sed -nE 's|.*"target":"/dev/null",[^}]*"write_bytes":([0-9]+).*|\1|p' "$tmp/summary")"
check_no_match "after loss: which was some" '"lost_events":0,' "$(cat "$tmp/summary")"

# A limit.
timeout 60 "$B/iotap-capture" --force -f -o "$tmp/m.iotap" --max-events 5000 -- \
	dd if=/dev/zero of=/dev/null bs=1 count=300000 >"$tmp/out" 2>&1
check_match "--max-events ends it, and the recording says why" 'reason=events' \
	"$("$B/iotap-decode" --dump "$tmp/m.iotap" | tail -n 3)"
check_that "with a whole recording" "$B/iotap-decode" --check "$tmp/m.iotap"
timeout 60 "$B/iotap-capture" --force -f -o "$tmp/m.iotap" --max-size 100k -- \
	dd if=/dev/zero of=/dev/null bs=1 count=300000 >"$tmp/out" 2>&1
check_match "--max-size likewise" 'reason=size' "$("$B/iotap-decode" --dump "$tmp/m.iotap" | tail -n 3)"

# Where it cannot make files it does not begin.
chmod 755 "$tmp"
mkdir -m 755 "$tmp/roots"
if command -v setpriv >/dev/null; then
	status=0
	SUDO_UID=65534 SUDO_GID=65534 "$B/iotap-capture" -o "$tmp/roots/t" --rotate-size 1M -- touch "$tmp/dir/ran" \
		>"$tmp/out" 2>&1 || status=$?
	check_eq "a directory that its user may not write to: status" 1 "$status"
	check_match "and it says as whom" "user 65534.*cannot make files" "$(cat "$tmp/out")"
	check_eq "nothing was made" "" "$(ls "$tmp/roots")"
	check_that "and the command was not run" test ! -e "$tmp/dir/ran"
fi
