-- title: Timeline: what was read and written in each second
-- columns: second file_read file_written net_received net_sent calls failed mean_us max_us
-- parameters: none
SELECT
	strftime('%Y-%m-%dT%H:%M:%SZ', s.second, 'unixepoch') AS second,
	coalesce(sum(CASE WHEN s.class = 'file' THEN s.read_bytes END), 0) AS file_read,
	coalesce(sum(CASE WHEN s.class = 'file' THEN s.written_bytes END), 0) AS file_written,
	coalesce(sum(CASE WHEN s.class = 'network' THEN s.read_bytes END), 0) AS net_received,
	coalesce(sum(CASE WHEN s.class = 'network' THEN s.written_bytes END), 0) AS net_sent,
	sum(s.reads + s.writes) AS calls,
	sum(s.errors) AS failed,
	CASE WHEN sum(s.reads + s.writes) > 0
		THEN round(nullif(sum(s.latency_ns), 0) / 1e3 / sum(s.reads + s.writes), 1) END AS mean_us,
	round(nullif(max(s.max_latency_ns), 0) / 1e3, 1) AS max_us
FROM total_by_second AS s
GROUP BY s.second
ORDER BY s.second;
