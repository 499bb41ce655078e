# report_bad_inputs.sh - what every reader says to an input it cannot use, or not all of it
#
# One line on standard error: program, file, place where that means something, remedy; the exit status of
# the contract; what is intact is shown. The same list for iotap --replay, decode, report and analyze.

. tests/lib/check.sh
need_program iotap iotap-decode iotap-report iotap-analyze tests/golden/assemble
need_tool python3
tmpdir

# A recording of ten blocks of a hundred calls.
python3 - >"$tmp/good.rec" <<'END'
print("""block header session=1
host format_major=1 os=1 arch=x86_64 cpus=2 tool="iotap-capture 0.1.0" hostname="here" release="6.1.0"
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
request kind=1 pid=10 text="10"
block state
clock boot_ns=5000000000 real_ns=1700000000000000000 tai_ns=1700000037000000000
block records
process time_ns=5000000000 pid=10 start_ns=100 how=1 comm="reader" exe="/usr/bin/reader" arg0="reader"
target id=1 origin=attach kind=file flags=16 dev=0x800001 ino=1 mode=0x81a4 text="/tmp/a\"""")
key = 5000000000
for block in range(10):
    print("block calls")
    for call in range(100):
        key += 1000 + call * 7919 % 613
        print(f"call key={key} duration={key % 977} tid=10 tgid=10 call=read flags=fd|requested fd=3 id=1 requested=4096 result={key % 4096}")
print(f"""block end
clock boot_ns={key + 1000} real_ns={1699999995000000000 + key + 1000} tai_ns={1700000032000000000 + key + 1000}
end time_ns={key + 1000} reason=1 calls=1000 blocks=14""")
END
"$B/tests/golden/assemble" <"$tmp/good.rec" >"$tmp/good.iotap" || { not_ok "a good recording"; exit 1; }

# What is wrong with each, made from the good one.
python3 - "$tmp" <<'END'
import struct, sys, zlib
folder = sys.argv[1]
good = open(folder + '/good.iotap', 'rb').read()

def blocks(data):
    at = 0
    while at + 64 <= len(data):
        stored = struct.unpack_from('<I', data, at + 24)[0]
        yield at, stored
        at += 64 + stored

def save(name, data):
    open(folder + '/' + name, 'wb').write(data)

places = list(blocks(good))
save('empty', b'')
save('text', b'time,pid,op\n1,2,read\n' * 100)
save('short', good[:10])
calls = [p for p in places if good[p[0] + 4] == 4]
at, stored = calls[len(calls) // 2]
damaged = bytearray(good)
damaged[at + 64 + stored // 2] ^= 0x55
save('damaged.iotap', damaged)
open(folder + '/damaged.at', 'w').write(str(at))
save('cut.iotap', good[:at + 64 + stored // 2])
open(folder + '/cut.at', 'w').write(str(at))

# A newer version: the first field of the first record of the header block.
newer = bytearray(good)
head, stored = places[0]
p = head + 64
assert newer[p] == 1                    # record host
while newer[p + 1] & 0x80: p += 1       # its length
p += 2
assert newer[p] < 0x80
newer[p] = 99
struct.pack_into('<I', newer, head + 56, zlib.crc32(bytes(newer[head + 64:head + 64 + stored])))
struct.pack_into('<I', newer, head + 60, zlib.crc32(bytes(newer[head:head + 60])))
save('newer.iotap', newer)
END
[ -s "$tmp/newer.iotap" ] || { not_ok "bad inputs can be made"; exit 1; }
mkdir "$tmp/folder"
"$B/iotap-analyze" load -o "$tmp/base.db" "$tmp/good.iotap" >/dev/null 2>&1

# read_with PROGRAM FILE: status, out, err. TARGET is empty where a program needs none.
read_with() {
	local program=$1 file=$2
	status=0
	case $program in
	iotap) set -- iotap --replay "$file" ;;
	iotap-decode | iotap-report) set -- "$program" "$file" ;;
	iotap-analyze) set -- iotap-analyze load -o "$tmp/new.db" "$file" ;;
	esac
	program=$1
	shift
	rm -f "$tmp/new.db"
	timeout 60 "$B/$program" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	out=$(cat "$tmp/out") err=$(cat "$tmp/err")
}

# one_error PROGRAM FILE NAME ERE
one_error() {
	read_with "$1" "$2"
	check_eq "$1, $3: exit status" 1 "$status"
	check_eq "$1, $3: nothing on stdout" "" "$out"
	check_eq "$1, $3: one line" 1 "$(wc -l <"$tmp/err")"
	check_match "$1, $3: says so" "^iotap[a-z-]*: .*$4" "$err"
}

# What is said of a recording that is not whole.
said_of() {
	case $1 in
	damaged) echo "^iotap.* at byte $(cat "$tmp/damaged.at").*bad checksum" ;;
	cut) echo "^iotap.*ends abruptly" ;;
	esac
}

for program in iotap iotap-decode iotap-report iotap-analyze; do
	one_error $program "$tmp/text" "not a recording" "/text(: not a recording| is text: give)"
	one_error $program "$tmp/empty" "empty" "empty"
	one_error $program "$tmp/newer.iotap" "newer version" "newer.iotap.*(99|newer)"
	one_error $program "$tmp/folder" "a directory" "folder.*[Ii]s a directory"
	one_error $program "$tmp/no-such" "no file" "no-such.*No such file"
	case $program in iotap) incomplete=0 ;; *) incomplete=4 ;; esac
	read_with $program "$tmp/good.iotap"
	whole=$(wc -c <"$tmp/out")
	check_eq "$program, whole: exit status" 0 "$status"
	for kind in damaged cut; do
		read_with $program "$tmp/$kind.iotap"
		check_eq "$program, $kind: exit status" $incomplete "$status"
		check_match "$program, $kind: says so" "$(said_of $kind)" "$err"
		if [ $program != iotap-analyze ]; then
			check_that "$program, $kind: what is intact is shown" \
				test "$(wc -c <"$tmp/out")" -gt $((whole / 3))
		fi
	done
	check_no_match "$program: no line of the damaged and cut ones is a crash" 'Segmentation|Aborted|Sanitizer' "$err"

	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		chmod 755 "$tmp"
		cp "$tmp/good.iotap" "$tmp/secret"
		chmod 600 "$tmp/secret"
		# The tree may lie where nobody else can look, as in root's home.
		mkdir -p "$tmp/bin"
		cp "$B/iotap" "$B"/iotap-[acdr]* "$tmp/bin" 2>/dev/null
		case $program in
		iotap) set -- --replay "$tmp/secret" ;;
		iotap-analyze) set -- report files "$tmp/secret" ;;
		*) set -- "$tmp/secret" ;;
		esac
		status=0
		err=$(setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$tmp/bin/$program" "$@" 2>&1 >/dev/null </dev/null) || status=$?
		check_eq "$program, unreadable: exit status" 1 "$status"
		check_match "$program, unreadable: says so" "^iotap.*secret.*Permission denied" "$err"
	else
		skip "$program, unreadable" "needs root and setpriv"
	fi
done

read_with iotap "$tmp/cut.iotap"
status=0
"$B/iotap" --strict --replay "$tmp/cut.iotap" >/dev/null 2>&1 || status=$?
check_eq "iotap --strict, cut: exit status" 4 "$status"

for program in iotap iotap-decode iotap-report; do
	one_error $program "$tmp/base.db" "a database" "base.db.*iotap-analyze"
done

# Where it goes ------------------------------------------------------------------------------------------

written() {
	local name=$1
	shift
	status=0
	"$@" 2>"$tmp/err" | head -n 1 >/dev/null
	status=${PIPESTATUS[0]}
	# situation: 121
	check_eq "$name, closed pipe: 0" 0 "$status"
	check_no_match "$name, closed pipe: quiet" "[Bb]roken|[Ee]rror|standard output" "$(cat "$tmp/err")"
	status=0
	"$@" >/dev/full 2>"$tmp/err" || status=$?
	check_eq "$name, full disk: exit status" 1 "$status"
	check_match "$name, full disk: says so" "No space left" "$(cat "$tmp/err")"
}

written "iotap" "$B/iotap" --replay "$tmp/good.iotap"
written "iotap-decode" "$B/iotap-decode" "$tmp/good.iotap"
written "iotap-decode -F json" "$B/iotap-decode" -F json "$tmp/good.iotap"
written "iotap-report" "$B/iotap-report" "$tmp/good.iotap"
written "iotap-analyze report" "$B/iotap-analyze" report files "$tmp/base.db"
