-- title: Slow: the 100 slowest calls
-- columns: duration_ms time pid process call bytes error target number
-- parameters: none
SELECT
	v.duration_ms AS duration_ms,
	v.time AS time,
	v.pid AS pid,
	v.process AS process,
	v.call AS call,
	v.bytes AS bytes,
	v.error AS error,
	v.target AS target,
	s.number AS number
FROM (SELECT number, duration_ns FROM slowest ORDER BY duration_ns DESC, number LIMIT 100) AS s
CROSS JOIN event_v AS v ON v.number = s.number
ORDER BY s.duration_ns DESC, s.number;
