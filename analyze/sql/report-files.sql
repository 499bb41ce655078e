-- title: Files: bytes and calls per path
-- columns: read_bytes reads written_bytes writes failed mean_us max_us target
-- parameters: none
SELECT
	s.read_bytes AS read_bytes,
	s.reads AS reads,
	s.written_bytes AS written_bytes,
	s.writes AS writes,
	s.errors + s.op_errors AS failed,
	CASE WHEN s.reads + s.writes > 0
		THEN round(nullif(s.latency_ns, 0) / 1e3 / (s.reads + s.writes), 1) END AS mean_us,
	round(nullif(s.max_latency_ns, 0) / 1e3, 1) AS max_us,
	t.text AS target
FROM total_by_target AS s
CROSS JOIN target AS t ON t.id = s.target
WHERE t.class = 'file' AND s.reads + s.writes > 0
ORDER BY s.read_bytes + s.written_bytes DESC, s.reads + s.writes DESC, s.ops DESC, target;
