# recording.sh - the documented format is the one in the tables and headers

. tests/lib/check.sh
tmpdir

page=docs/iotap-recording.5

awk -f docs/records.awk "$page" >"$tmp/page"
check_eq "$page: its tables are those of the .def files (else: awk -f docs/records.awk)" "" \
	"$(diff "$page" "$tmp/page" | head -n 5)"
check_eq "$page: the three tables are in it" 3 "$(grep -c '^\.\\" table formats/' "$page")"

# Flags of calls: value, name in text, and the enum of the kernel half.
documented=$(sed -n 's/^\.It 0x0*\([0-9a-f]*\) Ta \([a-z]*\) Ta .*/\1 \2/p' "$page")
coded=$(sed -n 's/^\tKF_\([A-Z]*\)[ \t]*= 1u << \([0-9]*\),.*/\2 \1/p' formats/kernel_record.h |
	while read -r bit name; do
		printf '%x %s\n' $((1 << bit)) "$(echo "$name" | tr '[:upper:]' '[:lower:]')"
	done)
check_eq "$page: the flags of calls" "$coded" "$documented"

limit() {
	sed -n "s/^	$1 = \([0-9 *+]*\)[ ,].*/\1/p" formats/record.h formats/block.h formats/call_block.h | head -n 1
}
check_match "$page: bytes of a field" "at most $(limit REC_BYTES_MAX)" "$(cat "$page")"
check_match "$page: bytes of a body" "at most $(limit REC_BODY_MAX) bytes" "$(cat "$page")"
check_match "$page: entries of a block" "at most $(limit BLOCK_COUNT_MAX)" "$(cat "$page")"
check_match "$page: calls of a block" "at $(limit CALL_BLOCK_MAX) calls" "$(cat "$page")"
check_match "$page: calls of a block in one frame" "below $(limit CALL_BLOCK_ONE_FRAME_BELOW) calls" \
	"$(cat "$page")"

if command -v mandoc >/dev/null; then
	check_eq "$page: nothing for mandoc to warn of" "" \
		"$(mandoc -T lint "$page" 2>&1 | grep -v "referenced manual not found")"
else
	skip "$page: mandoc" "mandoc is not installed"
fi
