# report_page.sh - iotap-report --html: its sums are those of the summary, its file is the user's own

. tests/lib/check.sh
need_program iotap-report iotap-decode tests/golden/assemble
need_tool python3
tmpdir

# page NAME: $tmp/NAME.html of a golden recording, with everything in it.
page() {
	local status=0
	"$B/tests/golden/assemble" <"tests/golden/rec/$1.rec" >"$tmp/$1.iotap"
	"$B/iotap-report" --html "$tmp/$1.html" --top 0 "$tmp/$1.iotap" >"$tmp/out" 2>"$tmp/err" || status=$?
	check_eq "$1: status" "$2" "$status"
	check_eq "$1: nothing on standard output" "" "$(cat "$tmp/out")"
	"$B/iotap-decode" -F json --all-ops "$tmp/$1.iotap" >"$tmp/$1.jsonl" 2>/dev/null
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/hostile python3 tests/cli/report_page.py "$1" "$tmp/$1.html" "$tmp/$1.jsonl"
}

page curl 0
page life 0
page sockets 0
page names 0
page loss 4
page abrupt 4
page argv 0
# A call after the exec; long arguments begin with their begin; what they are is text, and no markup.
sed 's/key=5150000000/key=5360000000/' tests/golden/rec/argv.rec >"$tmp/argv.rec"
"$B/tests/golden/assemble" <"$tmp/argv.rec" >"$tmp/argv.iotap"
"$B/iotap-report" --html "$tmp/argv.html" "$tmp/argv.iotap"
long="<b>&$(seq -s, 60)" python3 -c 'import os, re, sys
print(re.sub(r"(exec time_ns=52.* arg0=).*", lambda m: m[1] + "\"" + os.environ["long"] + r"\x00--\x00" + "\"", sys.stdin.read()))' \
	<"$tmp/argv.rec" | "$B/tests/golden/assemble" >"$tmp/long.iotap"
"$B/iotap-report" --html "$tmp/long.html" "$tmp/long.iotap"
check_match "arguments: those of a process, quoted as a shell would" "<td class=name>grep -e &#39;&#39; &#39;\?\[2J\?&#39; ��$" \
	"$(cat "$tmp/argv.html")"
check_match "long arguments: cut, all of them when opened, escaped" \
	"<td class=name><details><summary>&#39;&lt;b&gt;&amp;1,2,3,.*,2.*\.\.\.</summary>&#39;&lt;b&gt;&amp;1,2,3,.*,58,59,60&#39; --</details>$" \
	"$(cat "$tmp/long.html")"
check_no_match "no column of arguments where none were recorded" "<th>arguments" "$(cat "$tmp/curl.html")"
check_match "whose calls were not seen in full is said" "<td>server<td class=n data-v=5>5<td>over an unknown interface" \
	"$(cat "$tmp/sockets.html")"
check_match "loss is said" "counted while the kernel buffer was full" "$(cat "$tmp/loss.html")"
check_match "an end that is missing is said" "<li>the recording ends abruptly" "$(cat "$tmp/abrupt.html")"
check_match "whole or not is said" "The recording is complete" "$(cat "$tmp/curl.html")"

check_eq "for the user's eyes alone" 600 "$(stat -c %a "$tmp/curl.html")"
"$B/iotap-report" --html - --top 0 "$tmp/curl.iotap" >"$tmp/stdout.html"
check_that "- is standard output" diff "$tmp/stdout.html" "$tmp/curl.html"
check_that "from a pipe" sh -c '"$1/iotap-report" --html - --top 0 <"$2/curl.iotap" | grep -q "from standard input"' sh "$B" "$tmp"
check_status "a page of ours is replaced" 0 "$B/iotap-report" --html "$tmp/life.html" "$tmp/curl.iotap"
check_match "by the new one" "<title>iotap: curl" "$(cat "$tmp/life.html")"
echo mine >"$tmp/mine"
cp "$tmp/loss.html" "$tmp/kept.html"
check_status "no recording, an earlier page there" 1 "$B/iotap-report" --html "$tmp/kept.html" "$tmp/mine"
check_files "no recording: the earlier page stays" "$tmp/loss.html" "$tmp/kept.html"
check_status "a smaller page in its place" 0 "$B/iotap-report" --html "$tmp/kept.html" --top 0 "$tmp/curl.iotap"
check_files "a smaller page: nothing of the earlier one" "$tmp/curl.html" "$tmp/kept.html"
chmod 640 "$tmp/kept.html"
exec 9<"$tmp/kept.html"
"$B/iotap-report" --html "$tmp/kept.html" "$tmp/life.iotap"
check_eq "the mode of the earlier page stays" 640 "$(stat -c %a "$tmp/kept.html")"
check_files "who reads the earlier page keeps it whole" "$tmp/curl.html" /dev/fd/9
exec 9<&-
ln -s "$tmp/curl.html" "$tmp/link"
cp "$tmp/curl.html" "$tmp/twice"
ln "$tmp/twice" "$tmp/twice.too"
while read -r name reason; do
	check_status "$name: refused" 1 "$B/iotap-report" --html "$tmp/$name" "$tmp/life.iotap"
	check_match "$name: with its reason and a remedy" "/$name $reason: remove it first, or give another name" \
		"$("$B/iotap-report" --html "$tmp/$name" "$tmp/life.iotap" 2>&1)"
done <<'END'
mine exists and is no page of iotap-report
link is a symbolic link, which is not followed
twice has a second name \(a hard link\), which would keep the old page
END
check_eq "what was refused is as it was" mine "$(cat "$tmp/mine")"
check_files "under both names" "$tmp/curl.html" "$tmp/twice.too"
if [ "$(id -u)" = 0 ]; then
	cp "$tmp/curl.html" "$tmp/theirs"
	chown 1 "$tmp/theirs"
	check_match "another user's: with its reason and a remedy" "/theirs belongs to another user: remove it first" \
		"$("$B/iotap-report" --html "$tmp/theirs" "$tmp/life.iotap" 2>&1)"
else
	skip "another user's: with its reason and a remedy" "needs root"
fi
(ulimit -f 1; trap '' XFSZ; "$B/iotap-report" --html "$tmp/late.html" "$tmp/curl.iotap" 2>&1 | cat >"$tmp/late")
check_match "a page that had no room: said" "File too large" "$(cat "$tmp/late")"
check_status "a page that had no room: made the next time" 0 "$B/iotap-report" --html "$tmp/late.html" "$tmp/curl.iotap"
check_status "no such folder" 1 "$B/iotap-report" --html "$tmp/none/x.html" "$tmp/curl.iotap"
check_status "no recording" 1 "$B/iotap-report" --html "$tmp/x.html" "$tmp/mine"
check_match "a full disk is said" "No space left" "$("$B/iotap-report" --html /dev/full "$tmp/curl.iotap" 2>&1)"
mkdir "$tmp/small"
if mount -t tmpfs -o size=8k tmpfs "$tmp/small" 2>/dev/null; then
	head -c 100 "$tmp/curl.html" >"$tmp/small/earlier.html"
	check_status "a full file system" 1 "$B/iotap-report" --html "$tmp/small/x.html" "$tmp/curl.iotap"
	check_status "a full file system, an earlier page there" 1 "$B/iotap-report" --html "$tmp/small/earlier.html" "$tmp/curl.iotap"
	check_files "a full file system: the earlier page stays" <(head -c 100 "$tmp/curl.html") "$tmp/small/earlier.html"
	check_eq "a full file system: no half a page" "earlier.html" "$(ls -A "$tmp/small")"
	umount "$tmp/small"
else
	skip "a full file system" "no tmpfs can be mounted here"
fi

# Ended by a signal while it reads: nothing is left beside the earlier page.
mkdir "$tmp/ended"
cp "$tmp/curl.html" "$tmp/ended/x.html"
ulimit -c 0
mkfifo "$tmp/fifo"
exec 4<>"$tmp/fifo"
for signal in TERM USR1 XCPU RTMIN $([ -n "$SAN" ] || echo SEGV); do	# a sanitizer has its own for that
	"$B/iotap-report" --html "$tmp/ended/x.html" "$tmp/fifo" 4<&- 2>/dev/null &
	pid=$!
	check_that "a page under way has a name of its own" wait_for 20 sh -c "ls '$tmp'/ended/.iotap-*"
	kill -$signal $pid
	wait $pid 2>/dev/null
	check_eq "ended by SIG$signal: nothing is left" "x.html" "$(ls -A "$tmp/ended")"
done
exec 4<&-
check_files "ended by a signal: the earlier page stays" "$tmp/curl.html" "$tmp/ended/x.html"
