# layers.sh - who may include whom
#
#	formats/base <- formats <- bpf (calls.h, sets.h, kernel_record.h only) <- capture (the skeleton)
#	                        <- decode
#	                        <- analyze, report (iotap.h, error.h and base only; analyze also calls.h)
#
# capture and decode never see each other. A .def file is data: anybody may include one. The driver,
# report/iotap.c and report/driver_*, stands on base alone. Outside headers have one home each, too.

. tests/lib/check.sh

# Every quoted include: "file:line:included".
quoted() {
	find "$1" -name '*.[ch]' 2>/dev/null | sort | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
		sed -E 's/^([^:]*:[0-9]+):[^"]*"([^"]*)".*/\1:\2/'
}

# may FOLDER PATTERN [SKIP]: what the files of the folder may include, as one ERE.
may() {
	local folder=$1 pattern=$2 leave=${3:-^$} bad
	if [ ! -d "$folder" ]; then
		skip "$folder includes only what it may" "no such folder yet"
		return
	fi
	bad=$(quoted "$folder" | grep -vE "$leave" | grep -vE ":($pattern|[a-z/_0-9]+\.def)\$")
	if [ -z "$bad" ]; then
		ok "$folder includes only what it may"
	else
		not_ok "$folder includes only what it may" "allowed: $pattern" "$bad"
	fi
}

public='formats/iotap\.h|formats/error\.h|formats/base/[a-z_0-9]+\.h'

may formats/base 'formats/base/[a-z_0-9]+\.h'
may formats 'formats/[a-z_0-9/]+\.h'
may bpf 'formats/(calls|sets|kernel_record)\.h|bpf/[a-z_0-9]+(\.bpf)?\.h|bpf/iotap\.bpf\.c'
may capture 'capture/[a-z_0-9/]+\.h|formats/[a-z_0-9/]+\.h|bpf/[a-z_0-9]+\.skel\.h'
may decode 'decode/[a-z_0-9/]+\.h|formats/[a-z_0-9/]+\.h'
may analyze "analyze/[a-z_0-9/]+\.h|formats/calls\.h|$public"
may report "report/[a-z_0-9/]+\.h|$public" '^report/(iotap|driver_[a-z_]+)\.[ch]:'

if [ -e report/iotap.c ]; then
	bad=$(quoted report | grep -E '^report/(iotap|driver_[a-z_]+)\.[ch]:' | grep -vE \
		':(report/driver_[a-z_]+\.h|formats/error\.h|formats/base/[a-z_0-9]+\.h|[a-z/_0-9]+\.def)$')
	check_eq "the driver includes base only" "" "$bad"
fi

# outside HEADER-ERE FOLDER-ERE NAME: a library's header is included in its folder only.
outside() {
	local bad
	bad=$(grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($1)>" \
		formats bpf capture decode analyze report 2>/dev/null | grep -vE "^($2)/")
	check_eq "$3" "" "$bad"
}

outside 'bpf/(libbpf|bpf|btf)\.h' 'capture' "libbpf is capture's"
outside 'sqlite3(ext)?\.h' 'analyze' "sqlite is analyze's"
outside '(ncursesw/)?(n?curses|term|panel)\.h' 'report' "curses is report's"
outside 'zstd\.h|zlib\.h' 'formats' "compression is the formats'"

bad=$(grep -hE '^[[:space:]]*#[[:space:]]*include' formats/iotap.h 2>/dev/null | grep -vE '<std(int|def|bool)\.h>')
check_eq "formats/iotap.h stands alone" "" "$bad"
