-- title: Network: bytes and calls per endpoint
-- columns: received_bytes receives sent_bytes sends failed connections mean_us device target
-- parameters: none
-- A connect that goes on in the background (EINPROGRESS) has not failed. One that failed has a row, also
-- where nothing went over.
SELECT
	s.read_bytes AS received_bytes,
	s.reads AS receives,
	s.written_bytes AS sent_bytes,
	s.writes AS sends,
	s.errors + s.op_errors AS failed,
	n.sockets AS connections,
	CASE WHEN s.reads + s.writes > 0
		THEN round(nullif(s.latency_ns, 0) / 1e3 / (s.reads + s.writes), 1) END AS mean_us,
	t.device AS device,
	coalesce(t.name, t.text) AS target
FROM (SELECT sums, count(*) AS sockets FROM definition WHERE class = 'network' GROUP BY sums) AS n
CROSS JOIN total_by_target AS s ON s.target = n.sums
CROSS JOIN target AS t ON t.id = s.target
WHERE s.reads + s.writes > 0 OR s.op_errors > 0
ORDER BY s.read_bytes + s.written_bytes DESC, s.reads + s.writes DESC, s.ops DESC, target;
