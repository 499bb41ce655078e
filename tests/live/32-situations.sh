# 32-situations.sh - descriptors and processes that tracers which guess get wrong (docs/conformance.txt)

. tests/lib/trace.sh
need_trace

python=$(PATH=/usr/bin:/bin command -v python3 || command -v python3)

# Each write or send has a size of its own, by which it is found.
cat >"$tmp/one.py" <<'PYTHON'
import ctypes, os, select, socket, sys
libc = ctypes.CDLL(None)
os.chdir(sys.argv[1])

def put(name, size):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT)
    os.write(fd, b"x" * size)
    os.close(fd)

def quiet(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        pass

put("Notes.txt", 101)
put("notes.txt", 102)
os.makedirs("private/etc")
put("private/etc/hosts", 103)
libc.syscall(257, -100, None, 0)                        # openat without a name
libc.syscall(22, None)                                  # pipe into nowhere

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(5)
client = socket.socket()
client.setblocking(False)
client.connect_ex(server.getsockname())                 # goes on
select.select([], [client], [], 5)
client.send(b"x" * 104)
peer, _ = server.accept()
peer.recv(1000)
peer.send(b"x" * 105)
gone = socket.create_connection(server.getsockname())
gone_name = gone.getsockname()
gone.close()
late, _ = server.accept()
quiet(late.recv, 106)
print("tcp", "%s:%d" % server.getsockname(), "%s:%d" % client.getsockname(), "%s:%d" % gone_name)

udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
quiet(udp.recv, 107, socket.MSG_DONTWAIT)
tcp = socket.socket()
quiet(tcp.recv, 108)
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
for i in range(3):
    quiet(netlink.recv, 109, socket.MSG_DONTWAIT)

for name, size in (("relative", 110), (sys.argv[1] + "/absolute", 111), ("\0a\0b", 112)):
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(name)
    unix.listen(5)
    near = socket.socket(socket.AF_UNIX)
    near.connect(name)
    near.send(b"x" * size)
    near.close()
    far, _ = unix.accept()                              # its other end is gone
    far.recv(1000)
short = socket.socket(socket.AF_UNIX), socket.socket(), udp
libc.connect(short[0].fileno(), b"\1\0", 2)             # a family, no name
libc.connect(short[1].fileno(), b"\2\0\0\x50\x7f\0\0", 7)
libc.connect(short[2].fileno(), b"\0" * 16, 16)          # no family: no longer connected
ends = socket.socketpair()
ends[0].send(b"x" * 113)

r, w = os.pipe()
os.write(w, b"x" * 114)
os.close(w)
again = os.eventfd(5)                                   # the number of the pipe
os.write(again, b"x" * 8)
assert again == w

kept = os.open("kept", os.O_WRONLY | os.O_CREAT)
if os.fork() == 0:
    os.write(kept, b"x" * 115)
    os.close(kept)
    put("of-child", 116)
    os._exit(0)
os.wait()
os.write(kept, b"x" * 117)

quiet(os.write, 999, b"x" * 118)
libc.recvfrom(999, ctypes.create_string_buffer(119), 119, 0, None, None)
libc.recvfrom(kept, ctypes.create_string_buffer(120), 120, 0, None, None)
PYTHON
trace one -- "$python" -S "$tmp/one.py" "$tmp/dir"
read -r _ server client gone <"$tmp/one.out"

# of CONDITION: name and ends of the targets, one a line.
of() {
	pick one "kind == 'event' and ($1)" \
		"' '.join(str(target[k]) for k in ('kind', 'proto', 'fd_type', 'path', 'local', 'remote') if k in target)"
}

# situation: 16, 17
check_eq "names as they are written" "$(printf "file $tmp/dir/%s\n" Notes.txt notes.txt private/etc/hosts)" \
	"$(of "e['bytes'] in (101, 102, 103)")"
# situation: 19
check_eq "an open whose name cannot be read" "EFAULT unknown None" \
	"$(pick one "call == 'openat' and e['errno'] == 14" "e['error'] + ' ' + target['kind'] + ' %s' % e['fd']")"
# situation: 32
check_eq "a pair whose numbers cannot be read" "EFAULT unknown None" \
	"$(pick one "call == 'pipe' and e['errno'] == 14" "e['error'] + ' ' + target['kind'] + ' %s' % e['fd']")"
# situation: 20
check_eq "a connect that goes on, then both ends" "$(printf '%s\n' EINPROGRESS "socket tcp $client $server")" \
	"$(pick one "call == 'connect' and e['errno'] == 115" "e['error']"; of "e['bytes'] == 104 and e['dir'] == 'write'")"
check_eq "and those of the other side" "socket tcp $server $client" "$(of "e['bytes'] == 105")"
# situation: 28
check_eq "accepted when the other end was gone" "socket tcp $server $gone" "$(of "e['requested'] == 106")"
# situation: 21, 95
check_eq "without ends" "$(printf 'socket udp\nsocket tcp')" "$(of "e['requested'] in (107, 108)")"
# situation: 22
check_eq "netlink, three times" "$(printf 'socket netlink\nsocket netlink\nsocket netlink')" "$(of "e['requested'] == 109")"
check_eq "netlink, defined once" 1 "$("$B/iotap-decode" --dump "$tmp/one.iotap" |
	grep -c '^target .* family=netlink ')"
# situation: 25, 26, 27
check_eq "unix sockets by the name they have" \
	"$(for name in relative "$tmp/dir/absolute" @a@b; do printf "socket unix $name\n%.0s" 1 2; done)" \
	"$(of "e['bytes'] in (110, 111, 112)")"
# situation: 52, 53
check_eq "addresses that are too short, or none" "$(printf '%s\n' 'EINVAL socket unix' 'EINVAL socket tcp' 'None socket udp')" \
	"$(pick one "call == 'connect' and (e['errno'] == 22 or target.get('proto') == 'udp')" \
		"' '.join([str(e['error'])] + [target[k] for k in ('kind', 'proto', 'path', 'local', 'remote') if k in target])")"
# situation: 31
check_eq "a pair has no name" "socket unix" "$(of "e['bytes'] == 113")"
# situation: 30
check_eq "a number used again for another kind" "$(printf 'other pipe\nother eventfd')" \
	"$(of "call == 'write' and e['bytes'] in (114, 8)")"
# situation: 35
check_eq "what a child closes stays open" "$(printf "file $tmp/dir/%s\n" kept of-child kept)" \
	"$(of "e['bytes'] in (115, 116, 117)")"
# situation: 67
check_eq "on a number that is not open, on what is no socket" "$(printf '%s\n' unknown unknown "file $tmp/dir/kept")" \
	"$(of "e['requested'] in (118, 119, 120)")"

# A process whose first thread has ended, with a socket and a file from before.
cat >"$tmp/two.py" <<'PYTHON'
import ctypes, os, socket, sys, threading
os.chdir(sys.argv[1])
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(5)
here = os.open("before", os.O_WRONLY | os.O_CREAT)
def go():
    open("ready", "w").write("%d %d %d" % (os.getpid(), threading.get_native_id(), server.getsockname()[1]))
    os.read(os.open(sys.argv[2], os.O_RDONLY), 1)
    peer, _ = server.accept()
    peer.recv(1000)
    os.write(here, b"x" * 201)
    os._exit(0)
threading.Thread(target=go).start()
ctypes.CDLL(None).syscall(60, 0)                        # of this thread alone
PYTHON
mkfifo "$tmp/go"
exec 3<>"$tmp/go"
background "$python" -S "$tmp/two.py" "$tmp/dir" "$tmp/go"
wait_for 30 [ -s "$tmp/dir/ready" ]
read -r pid tid port <"$tmp/dir/ready"
wait_for 30 grep -q '^State:.Z' "/proc/$pid/status"
wait_for 30 reads "$pid" "$tmp/go" "$tid"
# situation: 90
status=0
said=$("$B/iotap-capture" --force -o "$tmp/no.iotap" "$tid" 2>&1) || status=$?
check_eq "the number of a thread is no process: status" 1 "$status"
check_match "the number of a thread is no process: said" "$tid" "$said"
follow two "$pid"
printf x >&3
"$python" -S -c 'import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1]))).send(b"x" * 202)' "$port"
eval "wait \$capture_two"
laws two
# situation: 89
check_eq "a leader that has ended: its process is traced" 201 \
	"$(pick two "call == 'write' and path == '$tmp/dir/before'" "e['bytes']")"
# situation: 29
check_eq "accepted on a socket from before" "tcp 127.0.0.1:$port" \
	"$(pick two "call == 'recvfrom' and e['bytes'] == 202" "target['proto'] + ' ' + target['local']")"

# The only process ends as its child begins, that one as the next does.
background sh -c 'read -r _ <"$1"
(sh -c "echo 1 >$2/c1; (sh -c \"echo 12 >$2/c2; (sh -c \\\"echo 123 >$2/c3\\\") &\") &") &' sh "$tmp/go" "$tmp/dir"
pid=$!
wait_for 30 reads "$pid" "$tmp/go"
follow chain -f "$pid"
echo >&3
eval "wait \$capture_chain"
laws chain
# situation: 105
check_eq "each of a chain of orphans" "c1 2 c2 3 c3 4" \
	"$(pick chain "call == 'write' and path.startswith('$tmp/dir/c')" "path[-2:] + ' %d' % e['bytes']" | sort | xargs)"

# Any sequence of what makes, copies, replaces, hands on and closes descriptors; each write has its own size.
cat >"$tmp/sequence.py" <<'PYTHON'
import fcntl, os, random, sys
os.chdir(sys.argv[1])
draw = random.Random(int(sys.argv[2]))
held, said, size = set(), [], int(sys.argv[2]) * 10000

def write(fd):
    global size
    size += 1
    name = os.readlink("/proc/self/fd/%d" % fd)
    os.write(fd, b"x" * size)
    said.append("%d %s" % (size, name[:-10] if name.endswith(" (deleted)") else name))

def step():
    global size
    action = draw.choice("oooxxddDDFsfCruwwwwwwwwww" if held and os.listdir(".") else "o")
    fd = draw.choice(sorted(held)) if held else None
    if action == "o" and len(held) < 40:
        held.add(os.open("f%d" % draw.randrange(30), os.O_WRONLY | os.O_CREAT))
    elif action == "x":
        os.close(fd)
        held.remove(fd)
    elif action == "d" and len(held) < 40:
        held.add(os.dup(fd))
    elif action == "D":
        os.dup2(fd, draw.choice(sorted(held)))
    elif action == "F" and len(held) < 40:
        held.add(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 60))
    elif action == "s" and len(held) < 40:
        held.add(os.memfd_create("m%d" % draw.randrange(5)))
    elif action == "r":
        name = draw.choice(sorted(os.listdir(".")))
        os.rename(name, (name + "r") if len(name) < 9 else name[:-2])
    elif action == "u":
        os.unlink(draw.choice(sorted(os.listdir("."))))
    elif action == "f":
        r, w = os.pipe()
        if os.fork() == 0:
            del said[:]
            for _ in range(5):
                step()
            os.write(w, ("\n".join(said) + "\n%d" % size).encode())
            os._exit(0)
        os.close(w)
        lines = b"".join(iter(lambda: os.read(r, 65536), b"")).decode().split("\n")
        os.close(r)
        os.wait()
        said.extend(line for line in lines[:-1] if line)
        size = int(lines[-1])
    elif action == "C":
        os.closerange(50, 80)
        held.difference_update(range(50, 80))
    elif held:
        write(fd)

for _ in range(700):
    step()
print("\n".join(said))
PYTHON
for seed in 1 2 3; do
	rm -rf "$tmp/dir"; mkdir "$tmp/dir"
	trace random$seed -- "$python" -S "$tmp/sequence.py" "$tmp/dir" $seed
	sort "$tmp/random$seed.out" >"$tmp/expected"
	pick random$seed "call == 'write' and e['bytes'] > ${seed}0000" "'%d %s' % (e['bytes'], path)" |
		sort >"$tmp/got"
	cut -d' ' -f1 "$tmp/expected" | sort | join - "$tmp/got" >"$tmp/those"
	# situation: 49
	check_files "random sequence $seed: each write by the name of its file" "$tmp/expected" "$tmp/those"
	check_that "random sequence $seed: which are many" [ "$(wc -l <"$tmp/expected")" -gt 150 ]
done

# One thread writes to a number that the other replaces all the time.
cat >"$tmp/race.py" <<'PYTHON'
import os, sys, threading
os.chdir(sys.argv[1])
number, stop = 50, False
os.dup2(os.open("r0", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)

def replace():
    n = 0
    while not stop:
        n += 1
        fd = os.open("r%d" % (n % 7), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(fd, number)
        os.close(fd)

other = threading.Thread(target=replace)
other.start()
for _ in range(6000):
    os.write(number, b"x")
stop = True
other.join()
PYTHON
rm -rf "$tmp/dir"; mkdir "$tmp/dir"
trace race -- "$python" -S "$tmp/race.py" "$tmp/dir"
# situation: 5
check_eq "a number that another thread replaces: files as long as the writes to them, or doubtful" yes \
	"$(python3 - "$tmp" <<'PYTHON'
import collections, json, os, sys
sure, doubtful = collections.Counter(), 0
for line in open(sys.argv[1] + "/race.jsonl", encoding="utf-8"):
    e = json.loads(line)
    if e["type"] == "event" and e["syscall"] == "write" and e["fd"] == 50 and e["bytes"] == 1:
        if e["confirmed"]:
            sure[e["target"]["path"]] += 1
        else:
            doubtful += 1
short = 0
for n in range(7):
    path = sys.argv[1] + "/dir/r%d" % n
    size = os.path.getsize(path) if os.path.exists(path) else 0
    if sure[path] > size:
        print(path, size, sure[path])
    short += size - sure[path]
print("yes" if 0 <= short <= doubtful and sum(sure.values()) + doubtful == 6000 and sum(sure.values()) > 3000 else
      f"{short} short, {doubtful} doubtful, {sum(sure.values())} sure")
PYTHON
)"
