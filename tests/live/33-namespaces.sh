# 33-namespaces.sh - interfaces of other network namespaces, two joined by veth pairs; ip route get as the witness
# live check: 14

. tests/lib/trace.sh
need_trace
need_tool ip
unshare -n true 2>"$tmp/err" || skip_all "unshare -n: $(head -n 1 "$tmp/err")"
unshare -n ip link add iotap0 type veth peer name iotap1 2>"$tmp/err" || skip_all "veth: $(head -n 1 "$tmp/err")"

# Every interface is made while it is traced already. Each datagram has a size of its own.
cat >"$tmp/two.py" <<'PYTHON'
import ctypes, os, socket, subprocess, sys

def ip(*words):
    return subprocess.run(("ip",) + words, check=True, capture_output=True, text=True).stdout

def own_namespace():
    if ctypes.CDLL(None, use_errno=True).unshare(0x40000000) != 0:
        sys.exit("unshare")
    ip("link", "set", "lo", "up")

def device(address):
    words = ip("route", "get", address).split()
    return words[words.index("dev") + 1]

def datagram(address, size):
    family, _, _, _, name = socket.getaddrinfo(address, 9, type=socket.SOCK_DGRAM)[0]
    s = socket.socket(family, socket.SOCK_DGRAM)
    expected = device(address)
    s.connect(name)
    try:
        s.send(b"x" * size)
    except OSError:
        pass
    print(size, expected)

own_namespace()
down, up = os.pipe()
there, here = os.pipe()
child = os.fork()
if child == 0:
    own_namespace()
    os.write(here, b"r")
    os.read(down, 1)
    for name, address in (("iotap1", "10.77.0.2/24"), ("iotap3", "10.78.0.2/24")):
        ip("addr", "add", address, "dev", name)
        ip("link", "set", name, "up")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("10.78.0.2", 7))
    os.write(here, b"r")
    data, peer = s.recvfrom(1000)
    s.connect(peer)
    s.send(b"x" * 309)
    expected = device(peer[0])
    os.read(down, 1)                    # with us our namespace goes, and with it the interfaces
    print(309, expected, flush=True)    # and two lines at once are none
    os._exit(0)
os.read(there, 1)
for near, far in (("iotap0", "iotap1"), ("iotap2", "iotap3")):
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", str(child))
ip("addr", "add", "10.77.0.1/24", "dev", "iotap0")
ip("addr", "add", "10.78.0.1/24", "dev", "iotap2")
ip("addr", "add", "10.79.0.1/24", "dev", "iotap2", "label", "iotap2:1")
for name in ("iotap0", "iotap2"):
    ip("link", "set", name, "up")
ip("-6", "addr", "add", "fe80::77/64", "dev", "iotap0", "nodad")
ip("route", "add", "default", "via", "10.78.0.2")
os.write(up, b"g")
os.read(there, 1)

datagram("10.77.0.2", 301)              # each its own pair
datagram("10.78.0.2", 302)
datagram("192.0.2.1", 303)              # by the default route
datagram("10.79.0.9", 304)              # of an address with a label
datagram("127.0.0.1", 305)
datagram("10.77.0.1", 306)              # our own
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.connect(("fe80::78", 9, 0, socket.if_nametoindex("iotap0")))
s.send(b"x" * 307)                      # link-local, by its scope
words = ip("-6", "route", "get", "fe80::78", "oif", "iotap0").split()
print(307, words[words.index("dev") + 1])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.78.0.1", 0))
s.connect(("10.78.0.2", 7))
s.send(b"x" * 308)
print(308, device("10.78.0.2"), flush=True)
s.recv(1000)
os.write(up, b"g")
os.waitpid(child, 0)
PYTHON
python=$(PATH=/usr/bin:/bin command -v python3 || command -v python3)
trace two -- "$python" -S "$tmp/two.py"
sort "$tmp/two.out" >"$tmp/expected"
pick two "call == 'sendto' and e['requested'] in range(301, 310)" "'%d %s' % (e['requested'], e['interface'])" | sort >"$tmp/got"
# situation: 79, 80, 81, 83, 86, 87
check_files "the device that ip route get names" "$tmp/expected" "$tmp/got"
check_eq "of nine datagrams" 9 "$(wc -l <"$tmp/expected")"
check_eq "and each namespace has its own" 3 "$("$B/iotap-decode" --dump "$tmp/two.iotap" |
	sed -n 's/^target .*kind=socket .*family=inet.* netns=\([0-9]*\).*/\1/p;s/^interface netns=\([0-9]*\).*/\1/p' | sort -u | wc -l)"
