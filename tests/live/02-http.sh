# 02-http.sh - a download over loopback, seen from both ends
# live check: 3

. tests/lib/trace.sh
need_trace
need_tool curl

head -c 300000 /dev/zero >"$tmp/dir/file"
cat >"$tmp/serve.py" <<'PYTHON'
import functools, http.server, os, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(str(server.server_port))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.handle_request()
PYTHON
cat >"$tmp/both.sh" <<'SHELL'
python3 "$1/serve.py" "$1/dir" "$1/port" 2>/dev/null &
while [ ! -e "$1/port" ]; do sleep 0.02; done
curl -s -o "$1/got" "http://127.0.0.1:$(cat "$1/port")/file"
wait
SHELL
trace http -- sh "$tmp/both.sh" "$tmp"
port=$(cat "$tmp/port")
curl_pid=$(pick http "kind == 'exec' and e['path'].endswith('/curl')" "e['pid']")
check_that "the file came over" cmp "$tmp/dir/file" "$tmp/got"
received=$(pick http "kind == 'event' and pid == ${curl_pid:-0} and target.get('remote') == '127.0.0.1:$port' and e['dir'] == 'read'" \
	"e['bytes'] or 0" | awk '{ n += $1 } END { print n + 0 }')
# situation: 145
check_that "curl received the file and its headers ($received bytes)" [ "$received" -gt 300000 ]
sent=$(pick http "kind == 'event' and pid != ${curl_pid:-0} and target.get('local') == '127.0.0.1:$port' and e['dir'] == 'write'" \
	"e['bytes'] or 0" | awk '{ n += $1 } END { print n + 0 }')
check_eq "the server sent what curl received" "$received" "$sent"
check_eq "the ends mirror each other" \
	"$(pick http "kind == 'event' and pid == ${curl_pid:-0} and target.get('proto') == 'tcp' and e['bytes']" "target['local'] + ' ' + target['remote']" | sort -u)" \
	"$(pick http "kind == 'event' and pid != ${curl_pid:-0} and target.get('proto') == 'tcp' and e['bytes']" "target['remote'] + ' ' + target['local']" | sort -u)"
check_eq "over the loopback interface" lo \
	"$(pick http "kind == 'event' and target.get('proto') == 'tcp' and e['bytes']" "e['interface']" | sort -u)"
