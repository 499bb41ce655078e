# iotap_examples.sh - the examples of manual pages, of --help and of the README do what they say
#
# Every line that stands between EXAMPLES and the next section and begins with one of our programs is
# run by the shell, in a folder of its own. Those that go on for long are cut short, and servers that they
# name are programs of that name which do nothing but run.

. tests/lib/live.sh
need_program iotap iotap-decode iotap-report tests/golden/assemble
tmpdir
top=$PWD

# examples PAGE: one command a line.
examples() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" | sed -n -E 's/^(\.Dl )?(iotap)/\2/p' |
		sed "s/\\\\-/-/g; s/\\\\(aq/'/g"
}

# help_examples PROGRAM: the same out of its --help, without what it says beside them.
help_examples() {
	"$B/$1" --help | sed -n '/^Examples:/,$p' | sed -n -E 's/^  (sudo )?(iotap.*)/\2/p' | sed -E 's/   +.*//'
}

# readme_examples: the commands of the session in the README, a line each.
readme_examples() {
	awk '/^\$ / { line = substr($0, 3); open = 1 }
		open && !/^\$ / { line = line $0 }
		open && gsub(/"/, "\"", line) % 2 == 0 { print line; open = 0 }' README.md | sed 's/^sudo //'
}

# try NAME COMMAND...: runs the lines that the command prints.
try() {
	local page=$1 status
	shift
	"$@" >"$tmp/commands"
	check_that "$page has examples" test -s "$tmp/commands"
	while IFS= read -r command; do
		status=0
		(cd "$tmp" && PATH="$B:$PATH" timeout 60 bash -c "$command") >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
		if [ $status = 0 ]; then
			ok "$command"
		else
			not_ok "$command" "status $status" "$(cat "$tmp/out" "$tmp/err" | tail -n 10)"
		fi
	done <"$tmp/commands"
}

sed 's/\<tgid=10\>/tgid=1234/; s/\<pid=10\>/pid=1234/' "$top/tests/golden/rec/epochs.rec" |
	"$B/tests/golden/assemble" >"$tmp/trace.iotap"
cp "$tmp/trace.iotap" "$tmp/trace.iotap.1"
try docs/iotap-report.1 examples docs/iotap-report.1
cp "$tmp/trace.iotap" "$tmp/t.iotap"
# incomplete COMMAND...: what it prints, for a recording that --check finds sound but not complete.
incomplete() {
	"$@" | sed 's/--check .*/& || test $? = 4/'
}
for program in iotap-report iotap-analyze iotap-decode; do
	if [ $program = iotap-decode ] && ! command -v jq >/dev/null; then
		skip "$program --help" "jq is not installed"
	else
		try "$program --help" incomplete help_examples $program
	fi
done
need_bpf
try docs/iotap.1 examples docs/iotap.1

# Servers of the examples, and a make with little to do.
mkdir "$tmp/bin" "$tmp/srv"
printf 'all:\n\ttrue\n' >"$tmp/Makefile"
servers=
for name in nginx postgres; do
	cp "$(command -v sleep)" "$tmp/bin/$name"
	"$tmp/bin/$name" 900 &
	servers="$servers $!"
done
trap 'kill $servers 2>/dev/null' EXIT

# shortened COMMAND...: what it prints, for seconds rather than days, in the folder of the test, on one process.
shortened() {
	"$@" | sed -E -e 's/-d [0-9]+[smhd]?/-d 1/' -e "s#/var/(log/iotap|tmp)/#$tmp/#" \
		-e 's/--flight/-d 2 --flight/' -e 's/-f -o - /-f -d 1 -o - /' -e 's/^iotap --wait/iotap -d 1 --wait/' -e "s/ 1234\$/ ${servers##* }/"
}
try docs/iotap-capture.8 shortened examples docs/iotap-capture.8
try "iotap-capture --help" shortened help_examples iotap-capture
try "iotap --help" shortened help_examples iotap

# The README: a download. What heads its tables is what it shows.
if command -v curl >/dev/null && command -v python3 >/dev/null; then
	head -c 20000 /dev/zero >"$tmp/srv/page.html"
	python3 -u -m http.server --bind 127.0.0.1 --directory "$tmp/srv" 0 >"$tmp/server" 2>&1 &
	servers="$servers $!"
	check_that "a server for the README" wait_for 20 grep -q 'port [0-9]' "$tmp/server"
	port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$tmp/server")
	ported() {
		readme_examples | sed -e "s/127.0.0.1:8000/127.0.0.1:$port/" -e 's/$/ >>readme.out 2>>readme.err/'
	}
	try README.md ported
	check_files "the download is there" "$tmp/srv/page.html" "$tmp/page.html"
	cat "$tmp/readme.out" "$tmp/readme.err" | tr -s ' ' >"$tmp/readme"
	sed -n '/^## A session/,/^## How/p' README.md | grep -E '^(TIME|Network|Totals| +(READ|RECEIVED) |call )' |
		sed 's/([0-9].*//' | tr -s ' ' >"$tmp/heads"
	check_that "the README shows tables" test "$(wc -l <"$tmp/heads")" -ge 6
	check_eq "what the README shows is what is printed" "" \
		"$(while IFS= read -r head; do grep -qF -- "$head" "$tmp/readme" || printf '%s\n' "$head"; done <"$tmp/heads")"
	check_match "and so is what it says of the process" "iotap: tracing [0-9]+ \(curl\); press Ctrl-C to stop" \
		"$(cat "$tmp/readme")"
else
	skip "the README" "no curl or python3 here"
fi
