-- title: Processes: what each read and wrote
-- columns: pid name file_read file_written net_received net_sent other_bytes calls ops failed io_ms
-- parameters: none
SELECT
	p.pid AS pid,
	p.name AS name,
	coalesce(sum(CASE WHEN s.class = 'file' THEN s.read_bytes END), 0) AS file_read,
	coalesce(sum(CASE WHEN s.class = 'file' THEN s.written_bytes END), 0) AS file_written,
	coalesce(sum(CASE WHEN s.class = 'network' THEN s.read_bytes END), 0) AS net_received,
	coalesce(sum(CASE WHEN s.class = 'network' THEN s.written_bytes END), 0) AS net_sent,
	coalesce(sum(CASE WHEN s.class = 'other' THEN s.read_bytes + s.written_bytes END), 0) AS other_bytes,
	sum(s.reads + s.writes) AS calls,
	sum(s.ops) AS ops,
	sum(s.errors + s.op_errors) AS failed,
	round(nullif(sum(s.latency_ns), 0) / 1e6, 3) AS io_ms
FROM process AS p
LEFT JOIN total_by_process AS s ON s.process = p.id
GROUP BY p.id
ORDER BY sum(s.read_bytes + s.written_bytes) DESC, calls DESC, pid, p.start_ns;
