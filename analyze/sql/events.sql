-- events.sql - every call, with the columns of iotap-decode -F csv
SELECT
	e.number AS number,
	strftime('%Y-%m-%dT%H:%M:%S', e.time_ns / 1000000000, 'unixepoch')
		|| printf('.%09dZ', e.time_ns % 1000000000) AS time,
	e.pid AS pid,
	e.tid AS tid,
	p.name AS process,
	coalesce(c.name, 'call ' || e.call) AS call,
	c.dir AS dir,
	e.fd AS fd,
	e.requested AS requested,
	e.bytes AS bytes,
	CASE WHEN e.err <> 0 THEN coalesce(n.name, 'errno ' || e.err) END AS error,
	e.result AS result,
	printf('%d.%06d', e.duration_ns / 1000000, e.duration_ns % 1000000)
		|| CASE WHEN e.duration_ns IS NULL THEN NULL ELSE '' END AS duration_ms,
	e.offset AS offset,
	t.text AS target,
	CASE WHEN t.id = -1 THEN '?' WHEN t.class = 'network' THEN t.device END AS interface,
	u.text AS target2,
	t.resolved AS resolved,
	t.evidence AS evidence,
	t.confirmed AND NOT e.flags & 16 AS confirmed	-- 16: the descriptor was raced for
FROM event AS e
CROSS JOIN process AS p ON p.id = e.process
CROSS JOIN target AS t ON t.id = e.target
LEFT JOIN target AS u ON u.id = e.target2
LEFT JOIN call AS c ON c.id = e.call
LEFT JOIN errno AS n ON n.err = e.err
ORDER BY e.number;
