# report_resolve.sh - iotap-report --resolve: names of hosts in the rows that are shown, and never a long wait
# situation: 120, 156

. tests/lib/check.sh
need_program iotap-report tests/golden/assemble
need_tool python3
tmpdir

"$B/tests/golden/assemble" <tests/golden/rec/sockets.rec >"$tmp/s.iotap"

# In a place of its own /etc/hosts and the name server are the test's.
printf '10.0.0.2\tweb.example\n10.0.0.3\tred\033[31m\n' >"$tmp/hosts"
printf 'nameserver 127.0.0.1\noptions timeout:30 attempts:5\n' >"$tmp/resolv.conf"
printf 'hosts: files dns\n' >"$tmp/nsswitch.conf"

# places COMMAND...: there, with a name server that never answers.
cat >"$tmp/places.py" <<'PYTHON'
import fcntl, os, socket, struct, subprocess, sys
for name in ("hosts", "resolv.conf", "nsswitch.conf"):
    path = os.path.realpath("/etc/" + name)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").close()
    subprocess.run(["mount", "--bind", sys.argv[1] + "/" + name, path], check=True)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))	# SIOCSIFFLAGS: IFF_UP, IFF_RUNNING
s.bind(("127.0.0.1", 53))
sys.exit(subprocess.run(sys.argv[2:]).returncode)
PYTHON
places() {
	unshare -mn --propagation private python3 "$tmp/places.py" "$tmp" "$@"
}

said=$("$B/iotap-report" --resolve --html "$tmp/p.html" "$tmp/s.iotap" 2>&1) && status=0 || status=$?
check_eq "with a page: refused" 2 "$status"
check_match "with a page: why" "--resolve is for text" "$said"
check_that "nothing was written" test ! -e "$tmp/p.html"

if ! places true 2>"$tmp/err"; then
	skip "names from the test's own hosts" "no namespaces here: $(tail -n 1 "$tmp/err")"
	exit
fi
"$B/iotap-report" --top 0 "$tmp/s.iotap" >"$tmp/plain"
status=0
# A name server that is dead is asked for minutes by the C library; the report waits for 2 seconds of them.
places timeout 60 "$B/iotap-report" --resolve --top 0 "$tmp/s.iotap" >"$tmp/named" 2>"$tmp/err" || status=$?
check_eq "a name server that never answers does not hold the report up" "0 " "$status $(cat "$tmp/err")"
check_eq "as many lines as without" "$(wc -l <"$tmp/plain")" "$(wc -l <"$tmp/named")"
check_eq "a host with a name has it" "$(grep -c ' 10\.0\.0\.2:' "$tmp/plain")" "$(grep -c ' web\.example:' "$tmp/named")"
check_that "there are such rows" grep -q ' web\.example:80' "$tmp/named"
check_eq "what is no host name is not shown" "$(grep ' 10\.0\.0\.3' "$tmp/plain")" "$(grep ' 10\.0\.0\.3' "$tmp/named")"
check_eq "nothing else has changed" "$(sed 's/ 10\.0\.0\.2:/ web.example:/' "$tmp/plain")" "$(cat "$tmp/named")"
status=0
places timeout 60 "$B/iotap-report" --resolve --top 1 --net-only "$tmp/s.iotap" >"$tmp/one" 2>&1 || status=$?
check_eq "one row alone" 0 "$status"
