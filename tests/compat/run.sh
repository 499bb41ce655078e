# run.sh - recordings of every version of the format say what they always said: see README.md
# UPDATE=vN writes a new version's files; it refuses to touch those that are there.

. tests/lib/check.sh
need_program iotap-decode iotap-analyze tests/golden/assemble
need_tool python3
tmpdir
export TZ=UTC

# said FILE: $tmp/text and $tmp/json. Notices come first; a file name is in none of them.
said() {
	"$B/iotap-decode" --replaying the-recording --all-ops --top 0 "$1" >"$tmp/out" 2>"$tmp/text"
	echo "status $?" >>"$tmp/text"
	cat "$tmp/out" >>"$tmp/text"
	"$B/iotap-decode" -F json "$1" >"$tmp/json"
}

make_version() {
	[ ! -e "$1/recording.iotap" ] || skip_all "$1 is there and stays as it is"
	"$B/tests/golden/assemble" <"$1/recording.rec" >"$1/recording.iotap" || exit 1
	"$B/iotap-decode" -F events "$1/recording.iotap" >"$1/recording.stream"
	said "$1/recording.iotap"
	cp "$tmp/text" "$tmp/json" "$1"
}
[ -z "${UPDATE:-}" ] || make_version "tests/compat/$UPDATE"

# Every line of the first holds, in their order, at least the fields of its line in the second.
grown() {
	python3 - "$1" "$2" <<'PYTHON'
import json, sys

def holds(new, old):
    if isinstance(old, dict):
        kept = [k for k in new if k in old] if isinstance(new, dict) else None
        return kept == list(old) and all(holds(new[k], old[k]) for k in old)
    if isinstance(old, list):
        return isinstance(new, list) and len(new) == len(old) and all(map(holds, new, old))
    return type(new) is type(old) and new == old

new, old = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:])
if len(new) != len(old):
    sys.exit("%d lines, once %d" % (len(new), len(old)))
for i, (a, b) in enumerate(zip(new, old)):
    if not holds(a, b):
        sys.exit("line %d: %s\nonce: %s" % (i + 1, a, b))
PYTHON
}

# situation: 109
for version in tests/compat/v[0-9]*; do
	for form in recording.iotap recording.stream; do
		said "$version/$form"
		check_files "${version##*/} $form: text" "$version/text" "$tmp/text"
		check_that "${version##*/} $form: JSON" grown "$tmp/json" "$version/json"
	done
	check_eq "${version##*/}: events in SQL" "$(grep -c -e '^{"type":"event"' -e '^{"type":"op"' "$version/json")" \
		"$("$B/iotap-analyze" sql -F tsv "$version/recording.iotap" 'SELECT count(*) FROM event' 2>/dev/null | tail -n 1)"
done
