# 18-strace.sh - strace as the witness: the same processes at the same time, thread by thread

. tests/lib/witness.sh
need_witness

# with TOOL NAME COMMAND...: skips the one case where the tool is not installed.
with() {
	local tool=$1
	shift
	if command -v "$tool" >/dev/null; then witness "$@"; else skip "$1" "$tool is not installed"; fi
}

# Of the system, not one of a version manager with a shell script before it.
python=$(PATH=/usr/bin:/bin command -v python3 || command -v python3)

witness tables "$w/tables" "$tmp/s" "$tmp/dir"
witness kinds "$w/kinds" "$tmp/s" "$tmp/dir"
witness births "$w/births" "$tmp/s" "$tmp/dir"
witness connections "$w/connections" "$tmp/s" 5
witness passed "$w/passed" "$tmp/s" "$tmp/dir" 5
witness places "$w/places" "$tmp/s" "$tmp/dir"

if [ "$(uname -m)" = x86_64 ] && "$CC" -m32 -O1 -nostdlib -static -ffreestanding -fno-stack-protector -fno-pic \
	-no-pie -o "$tmp/calls32" tests/live/i386/calls.c 2>"$tmp/err" && (cd "$tmp/dir" && "$tmp/calls32"); then
	witness i386 sh -c 'cd "$1" && exec "$2"' sh "$tmp/dir" "$tmp/calls32"
else
	skip i386 "no 32-bit program can be made and run: $(head -n 1 "$tmp/err")"
fi

witness tools sh -c 'cd "$1" && cp /etc/passwd a && sort a >b && tar cf c.tar a b && tar xf c.tar &&
	sed -i s/root/toor/ a && cmp a b >d; cat a b c.tar >e; head -c 1000 e >f; wc -c <e >g; find . -name "?" >h; rm a b
	dd if=/dev/zero of=x bs=1000 count=20 2>/dev/null; mkdir i; cp -r d i; find /usr/share/doc -maxdepth 0 >j' \
	sh "$tmp/dir"

with gcc gcc sh -c 'cd "$1"; echo "int main(void) { return 0; }" >a.c; TMPDIR=$1 gcc -O1 -pipe a.c -o a; ./a' sh "$tmp/dir"
with git git sh -c 'cd "$1"; export HOME="$1"; git init -q .; echo a >a; git add a
	git -c user.name=a -c user.email=b commit -q -m c; git clone -q . b' sh "$tmp/dir"
with rsync rsync sh -c 'cd "$1"; mkdir a; for i in 1 2 3; do echo $i >a/$i; done; rsync -a a/ b; rsync -a a/ b' sh "$tmp/dir"
with sqlite3 sqlite sh -c 'cd "$1"; sqlite3 a.db "create table t(a); insert into t values (1); select * from t;
	pragma journal_mode=wal; insert into t values(2)"' sh "$tmp/dir"
# situation: 5
witness threads "$python" -S -c 'import os, subprocess, sys, threading
os.chdir(sys.argv[1])
def work(n):
    for i in range(40):
        fd = os.open("t%d" % n, os.O_RDWR | os.O_CREAT)
        os.pwrite(fd, b"x" * (n + i), i)
        os.close(fd)
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for t in threads: t.join()
subprocess.run(["true"])' "$tmp/dir"
with curl http sh -c 'cd "$1"
	head -c 300000 /dev/zero >big
	"$2" -S -u -m http.server 0 --bind 127.0.0.1 >port 2>log &
	while ! grep -q "port [0-9]" port; do sleep 0.1; done
	port=$(sed -n "s/.*port \([0-9]*\).*/\1/p" port)
	curl -s -o got "http://127.0.0.1:$port/big"; curl -s -o none "http://127.0.0.1:$port/none"
	kill $!; wait $!; cmp big got' sh "$tmp/dir" "$python"

# A witness that agrees with everything is none.
check_match "the comparison had paths, inodes, ends of sockets, sizes and offsets to compare" \
	'^compared: [1-9][0-9]* ends, [1-9][0-9]+ inodes, [1-9][0-9]* offsets, [1-9][0-9]* parts, [1-9][0-9]+ paths, [1-9][0-9]+ sizes$' \
	"$(agree kinds)"
notices() {
	check_eq "notices $1" "1 yes" "$(python3 - "$tmp" "$2" <<'PYTHON'
import json, sys
tmp, change = sys.argv[1:]
lines = [json.loads(line) for line in open(tmp + "/kinds.jsonl", encoding="utf-8")]
calls = [n for n, e in enumerate(lines) if e["type"] in ("event", "op")]
inodes = open(tmp + "/kinds.inodes").read().splitlines()
strace = {int(line.split()[0]) for line in open(tmp + "/kinds.strace", encoding="latin1")}
def some(wanted):
    found = [n for n in calls if lines[n]["tid"] in strace and wanted(lines[n])]
    return found[len(found) // 2]
exec(change)
open(tmp + "/bad.jsonl", "w", encoding="utf-8").writelines(json.dumps(e) + "\n" for e in lines)
open(tmp + "/bad.inodes", "w").writelines(line + "\n" for line in inodes)
PYTHON
	cp "$tmp/kinds.strace" "$tmp/bad.strace"
	agree bad >"$tmp/bad.said"
	echo "$? $(grep -q '^[0-9]*: ' "$tmp/bad.said" && echo yes)")"
}
of='lambda e: e["type"] == "event" and e["errno"] == 0 and e["target"]["kind"] == "file"'
notices "a call left out" "n = some($of); del lines[n], inodes[calls.index(n)]"
notices "a call too many" "n = some($of); lines.insert(n, lines[n]); inodes.insert(calls.index(n), inodes[calls.index(n)])"
notices "another descriptor" "lines[some($of)]['fd'] += 1"
notices "another size" "lines[some($of)]['requested'] += 1"
notices "another result" "lines[some($of)]['bytes'] += 1"
notices "another errno" "lines[some(lambda e: e['errno'] == 2)]['errno'] = 13"
notices "another offset" "lines[some(lambda e: e['syscall'] == 'pread64')]['offset'] += 1"
notices "another part" "lines[some(lambda e: e['syscall'] == 'recvmmsg_message')]['result'] += 1"
notices "another path" "lines[some($of)]['target']['path'] += 'x'"
notices "another end" "lines[some(lambda e: e['type'] == 'event' and e['target'].get('remote'))]['target']['remote'] = '127.0.0.1:1'"
notices "another claimed path" "lines[some(lambda e: e['evidence'] == 'user')]['target']['path'] += 'x'"
notices "another pipe" "inodes[calls.index(some(lambda e: e['type'] == 'event' and e['target'].get('fd_type') == 'pipe'))] = '0:13 1'"
