-- views.sql - what people read: the tables of schema.sql with names and times in words
--
-- The program makes them anew in its own connection and does not use those in the file.

CREATE VIEW event
AS SELECT
	r.number AS number,
	r.time + (SELECT value FROM meta WHERE key = 'time_base_ns') AS time_ns,
	r.time + (SELECT value FROM meta WHERE key = 'time_base_ns')
		- (SELECT c.offset_ns FROM clock AS c WHERE c.number <= r.number ORDER BY c.number DESC LIMIT 1)
		AS boot_ns,
	r.duration_ns AS duration_ns,
	(SELECT t.process FROM thread AS t WHERE t.id = r.thread) AS process,
	(SELECT t.pid FROM thread AS t WHERE t.id = r.thread) AS pid,
	(SELECT t.tid FROM thread AS t WHERE t.id = r.thread) AS tid,
	r.call AS call,
	r.fd AS fd,
	r.target AS target,
	(SELECT m.fd2 FROM event_more AS m WHERE m.number = r.number) AS fd2,
	(SELECT m.target2 FROM event_more AS m WHERE m.number = r.number) AS target2,
	r.requested AS requested,
	coalesce(r.result, r.bytes) AS result,
	r.bytes AS bytes,
	r.offset AS offset,
	CASE WHEN r.result BETWEEN -4095 AND -1 THEN -r.result ELSE 0 END AS err,
	r.flags AS flags,
	r.cpu AS cpu,
	(SELECT m.arg0 FROM event_more AS m WHERE m.number = r.number) AS arg0,
	(SELECT m.arg1 FROM event_more AS m WHERE m.number = r.number) AS arg1
FROM event_row AS r;

CREATE VIEW target
AS SELECT
	r.id AS id, d.recording AS recording, d.sums AS sums, d.kind AS kind, d.class AS class, d.path AS path,
	coalesce(d.text, d.path) AS text, d.name AS name, d.proto AS proto, d.local AS local,
	d.local_port AS local_port, d.remote AS remote, d.remote_port AS remote_port, d.peer AS peer,
	d.peer_pid AS peer_pid, d.device AS device, d.netns AS netns, d.dev AS dev, d.ino AS ino,
	d.mode AS mode, d.claimed AS claimed, d.confirmed AS confirmed, d.resolved AS resolved,
	d.evidence AS evidence, d.flags AS flags, r.definition AS definition
FROM target_row AS r
JOIN definition AS d ON d.id = r.definition;

CREATE VIEW target_v
AS SELECT
	t.id AS id, t.kind AS kind, t.class AS class, t.text AS name, t.proto AS proto,
	t.local AS local, t.local_port AS local_port, t.remote AS remote, t.remote_port AS remote_port,
	t.device AS device, t.dev >> 20 AS dev_major, t.dev & 1048575 AS dev_minor, t.ino AS ino,
	printf('%o', t.mode) AS mode, t.claimed AS claimed, t.confirmed AS confirmed,
	t.resolved AS resolved, t.evidence AS evidence
FROM target AS t;

CREATE VIEW event_v
AS SELECT
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
	round(e.duration_ns / 1e6, 6) AS duration_ms,
	e.offset AS offset,
	t.text AS target
FROM event AS e
CROSS JOIN process AS p ON p.id = e.process
CROSS JOIN target AS t ON t.id = e.target
LEFT JOIN call AS c ON c.id = e.call
LEFT JOIN errno AS n ON n.err = e.err;

CREATE VIEW process_v
AS SELECT
	p.id AS id, p.pid AS pid, p.parent AS parent, p.name AS name, p.exe AS exe, p.uid AS uid,
	CASE WHEN p.exited THEN
		CASE WHEN p.exit_status & 127 THEN 'signal ' || (p.exit_status & 127)
		ELSE 'status ' || (p.exit_status >> 8 & 255) END
	END AS ended,
	sum(s.reads) AS reads, sum(s.read_bytes) AS read_bytes,
	sum(s.writes) AS writes, sum(s.written_bytes) AS written_bytes,
	sum(s.errors) + sum(s.op_errors) AS errors, sum(s.ops) AS ops
FROM process AS p
LEFT JOIN total_by_process AS s ON s.process = p.id
GROUP BY p.id;
