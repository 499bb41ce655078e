-- title: Calls: how often, how long, how much
-- columns: call dir calls failed bytes mean_us max_us total_ms
-- parameters: none
SELECT
	coalesce(c.name, 'call ' || s.call) AS call,
	c.dir AS dir,
	sum(s.reads + s.writes + s.ops) AS calls,
	sum(s.errors + s.op_errors) AS failed,
	CASE WHEN c.dir IS NOT NULL THEN sum(s.read_bytes + s.written_bytes) END AS bytes,
	round(nullif(sum(s.latency_ns), 0) / 1e3 / sum(s.reads + s.writes + s.ops), 1) AS mean_us,
	round(nullif(max(s.max_latency_ns), 0) / 1e3, 1) AS max_us,
	round(nullif(sum(s.latency_ns), 0) / 1e6, 3) AS total_ms
FROM total_by_call AS s
LEFT JOIN call AS c ON c.id = s.call
GROUP BY s.call
ORDER BY calls DESC, call;
