-- title: Servers: bytes and peers per local port
-- columns: received_bytes receives sent_bytes sends peers proto local_port
-- parameters: none
-- A port that peers came to, or that several came from, is one row however many they were.
SELECT
	sum(s.read_bytes) AS received_bytes,
	sum(s.reads) AS receives,
	sum(s.written_bytes) AS sent_bytes,
	sum(s.writes) AS sends,
	count(DISTINCT t.remote || ' ' || t.remote_port) AS peers,
	t.proto AS proto,
	t.local_port AS local_port
FROM total_by_target AS s
CROSS JOIN target AS t ON t.id = s.target
WHERE t.class = 'network' AND t.local_port > 0
GROUP BY t.proto, t.local_port
HAVING sum(s.reads + s.writes) > 0
ORDER BY peers DESC, received_bytes + sent_bytes DESC, local_port;
