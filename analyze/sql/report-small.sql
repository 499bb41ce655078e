-- title: Small: targets with many reads and writes of under 512 bytes
-- columns: small_calls calls mean_bytes total_ms target
-- parameters: none
SELECT
	s.small AS small_calls,
	s.reads + s.writes AS calls,
	round((s.read_bytes + s.written_bytes) * 1.0 / (s.reads + s.writes), 1) AS mean_bytes,
	round(nullif(s.latency_ns, 0) / 1e6, 3) AS total_ms,
	t.text AS target
FROM total_by_target AS s
CROSS JOIN target AS t ON t.id = s.target
WHERE s.small > 0
ORDER BY s.small DESC, target;
