# analyze_sums.sh - the same sums by every road: SQL over the recording, over its database, the totals
# kept at load, and the summary that iotap-decode writes
#
# In recordings with aggregates (loss) what the kernel only summed is in the totals, and has no rows of
# its own: the road from the events is left out there.

. tests/lib/check.sh
need_program iotap-analyze iotap-decode tests/golden/assemble
need_tool python3
tmpdir
analyze=$B/iotap-analyze

# One line per sum: class, direction, bytes, calls; then events, errors, ops.
by_events="SELECT t.class AS class, c.dir AS dir, coalesce(sum(e.bytes), 0) AS bytes, count(*) AS calls
	FROM event e CROSS JOIN target t ON t.id = e.target JOIN call c ON c.id = e.call WHERE c.dir IS NOT NULL
	GROUP BY 1, 2 ORDER BY 1, 2"
by_totals="SELECT class, 'read' AS dir, sum(read_bytes) AS bytes, sum(reads) AS calls FROM total_by_process
	GROUP BY class HAVING sum(reads) > 0 UNION ALL
	SELECT class, 'write', sum(written_bytes), sum(writes) FROM total_by_process GROUP BY class
	HAVING sum(writes) > 0 ORDER BY 1, 2"
by_seconds="SELECT class, 'read' AS dir, sum(read_bytes) AS bytes, sum(reads) AS calls FROM total_by_second
	GROUP BY class HAVING sum(reads) > 0 UNION ALL
	SELECT class, 'write', sum(written_bytes), sum(writes) FROM total_by_second GROUP BY class
	HAVING sum(writes) > 0 ORDER BY 1, 2"
counts="SELECT sum(reads + writes) AS events, sum(errors) AS errors, sum(ops) AS ops, sum(op_errors) AS op_errors
	FROM total_by_call"
rows="SELECT t.class AS class, coalesce(t.name, t.text) AS target, s.read_bytes AS read_bytes, s.reads AS read_calls,
	s.written_bytes AS write_bytes, s.writes AS write_calls, s.errors AS errors, s.messages AS messages,
	s.unsized AS unsized FROM total_by_target s JOIN target t ON t.id = s.target
	WHERE s.reads + s.writes > 0 ORDER BY 1, 2"

cat >"$tmp/summary.py" <<'END'
import json, sys
what, path = sys.argv[1:]
for line in open(path, encoding='utf-8'):
    s = json.loads(line)
    if s['type'] == 'summary':
        break
short = {'file': 'file', 'network': 'net', 'other': 'other'}
out = []
if what == 'sums':
    for c in sorted(short):
        for d in ('read', 'write'):
            t = s['totals'][f'{short[c]}_{d}']
            if t['calls']:
                out.append({'class': c, 'dir': d, 'bytes': t['bytes'], 'calls': t['calls']})
elif what == 'counts':
    ops = sum(o['calls'] for o in s['ops'])
    failed = sum(o['errors'] for o in s['ops'])
    out.append({'events': s['totals']['events'], 'errors': s['totals']['errors'], 'ops': ops, 'op_errors': failed})
else:
    for c, title in (('file', 'files'), ('network', 'network'), ('other', 'other')):
        for r in s[title]:
            out.append({'class': c, 'target': r['target'], 'read_bytes': r['read_bytes'],
                        'read_calls': r['read_calls'], 'write_bytes': r['write_bytes'],
                        'write_calls': r['write_calls'], 'errors': r['errors'], 'messages': r['messages'],
                        'unsized': r['unsized_calls']})
    out.sort(key=lambda r: (r['class'], r['target'].encode()))
for o in out:
    print(json.dumps(o, ensure_ascii=False, separators=(',', ':')))
END

ask() {
	"$analyze" sql -F json "$1" "$2" 2>/dev/null
}

same() {
	python3 "$tmp/summary.py" "$1" "$tmp/$name.jsonl" >"$tmp/expected"
	shift
	for road in "$tmp/$name.db" "$tmp/$name.iotap"; do
		ask "$road" "$2" >"$tmp/got"
		check_files "$name: $1, ${road##*.}" "$tmp/expected" "$tmp/got"
	done
}

for name in curl life sendfile sockets strange restart epochs abrupt loss; do
	"$B/tests/golden/assemble" <"tests/golden/rec/$name.rec" >"$tmp/$name.iotap"
	"$B/iotap-decode" -F json "$tmp/$name.iotap" >"$tmp/$name.jsonl" 2>/dev/null
	"$analyze" load -o "$tmp/$name.db" "$tmp/$name.iotap" 2>/dev/null
	[ "$name" = loss ] || same sums "bytes and calls per class, from the events" "$by_events"
	same sums "from the totals per process" "$by_totals"
	same sums "from the totals per second" "$by_seconds"
	same counts "events, ops and failures" "$counts"
	# An id keeps its meaning: what one epoch told of it the database knows in the next, decode does not.
	[ "$name" = epochs ] || same rows "the rows of the summary" "$rows"
done
check_eq "epochs: a name told once holds for the recording" '{"target":"/tmp/b","read_bytes":6}' \
	"$(ask "$tmp/epochs.db" "SELECT t.text AS target, s.read_bytes AS read_bytes FROM total_by_target s
		JOIN target t ON t.id = s.target WHERE t.ino = 2")"
