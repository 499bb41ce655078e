-- schema.sql - the tables of an iotap database, version 3; described in iotap-sql(5)
--
-- Once published a table or column keeps its name and meaning; new ones may be added. What a database
-- is not supposed to be read by (event_row, event_more, thread, target_row, definition) is packed for
-- size: event_row has what differs in nearly every call, event_more what few calls have. The views
-- event and target join them.
--
-- Everything here exists in the same form, with the same numbers, over a recording that was not
-- loaded; there event is a virtual table.

CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE recording (
	id INTEGER PRIMARY KEY,		-- from 1
	session TEXT NOT NULL,		-- 16 hexadecimal digits, random, of the capture
	host ANY,			-- BLOB where it is not UTF-8, as every name
	kernel ANY,
	arch TEXT,
	os TEXT,
	cpus INTEGER,
	tool ANY,			-- program and version that recorded
	options ANY,			-- its options
	format TEXT,			-- version of the recording
	stream INTEGER,			-- 1 = loaded from an event stream, 0 = from the recording itself
	lossy INTEGER NOT NULL,		-- 1 = loaded from JSON Lines, which leave things out
	start_boot_ns INTEGER,		-- when capture began, on both clocks
	start_ns INTEGER,
	first_ns INTEGER,		-- return of the first and the last call, Unix time
	last_ns INTEGER,
	duration_ns INTEGER,
	first_number INTEGER NOT NULL,	-- event.number of its call 0
	calls INTEGER NOT NULL,		-- rows it has in event
	complete INTEGER,		-- 1 = it ended in order, nothing lost, nothing damaged
	end_reason INTEGER,
	command_pid INTEGER,
	command_status INTEGER,		-- as wait(2)
	first_target INTEGER NOT NULL	-- what was added to its own target ids
) STRICT;

CREATE TABLE counter (			-- what could not be recorded, or not in full
	recording INTEGER NOT NULL,
	name TEXT NOT NULL,
	value INTEGER NOT NULL,
	PRIMARY KEY (recording, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE blind_spots (		-- what is known not to have been seen, or not for sure
	recording INTEGER NOT NULL,
	name TEXT NOT NULL,		-- as in "blind_spots" of JSON Lines
	value INTEGER NOT NULL,		-- calls, unless the name says otherwise
	PRIMARY KEY (recording, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE blind_spots_by_process (	-- of these, what calls of one process tell
	recording INTEGER NOT NULL,
	process INTEGER,		-- NULL: its row was forgotten
	pid INTEGER NOT NULL,
	name TEXT NOT NULL,
	value INTEGER NOT NULL
) STRICT;

CREATE TABLE clock (			-- from event number on: Unix time = boot time + offset_ns
	number INTEGER PRIMARY KEY,
	offset_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE second (			-- the first event of each second that has one: the way to a time range
	recording INTEGER NOT NULL,
	second INTEGER NOT NULL,	-- Unix time
	number INTEGER NOT NULL,
	PRIMARY KEY (recording, second)
) STRICT, WITHOUT ROWID;

CREATE TABLE process (			-- one (pid, start time)
	id INTEGER PRIMARY KEY,
	recording INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	start_ns INTEGER,		-- boot clock
	parent INTEGER,			-- pid
	uid INTEGER,
	how INTEGER,			-- 1 named by pid, 2 by name, 3 the command, 4 descendant, 5 born traced, 6 took a name
	name ANY,
	exe ANY,
	arg0 ANY,
	cwd ANY,
	first_ns INTEGER,		-- boot clock: traced from, exited
	last_ns INTEGER,
	exited INTEGER,
	exit_status INTEGER,		-- as wait(2)
	gid INTEGER,
	pid_ns INTEGER,			-- inode numbers of its namespaces
	mnt_ns INTEGER,
	net_ns INTEGER,
	pid_in_ns INTEGER,		-- its pid there
	cgroup ANY,			-- path
	container ANY,			-- the id that the path names
	UNIQUE (recording, pid, start_ns)
) STRICT;

CREATE TABLE argument (			-- of processes recorded with --argv, the ones they had last
	process INTEGER NOT NULL,
	position INTEGER NOT NULL,	-- 0 = argv[0]
	value ANY NOT NULL,
	PRIMARY KEY (process, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE thread (
	id INTEGER PRIMARY KEY,
	process INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	tid INTEGER NOT NULL,
	UNIQUE (process, tid)
) STRICT;

CREATE TABLE definition (		-- what targets are; equal ones share a row. The view target joins
	id INTEGER PRIMARY KEY,
	recording INTEGER,
	sums INTEGER NOT NULL,		-- the target whose totals include this one's: the first of the same name
	kind TEXT NOT NULL,		-- file socket pipe anon memfd unknown
	class TEXT NOT NULL,		-- file network other
	path ANY,			-- file, unix socket, anonymous inode; BLOB where it is not UTF-8
	text TEXT,			-- for people, where it is not the path
	name ANY,			-- what it is summed by, where it is neither: a socket's other end
	proto TEXT,
	local TEXT,
	local_port INTEGER,
	remote TEXT,
	remote_port INTEGER,
	peer ANY,			-- the peer's unix path
	peer_pid INTEGER,
	device ANY,			-- network interface, '?' = cannot be told
	netns INTEGER,
	dev INTEGER,			-- major << 20 | minor
	ino INTEGER,
	mode INTEGER,
	claimed ANY,			-- what the program asked for, where it differs
	confirmed INTEGER NOT NULL,	-- 1 = the name is the kernel's own
	resolved TEXT NOT NULL,		-- traced snapshot lazy none
	evidence TEXT NOT NULL,		-- kernel proc user none
	flags INTEGER NOT NULL		-- KT_ bits of iotap-recording(5)
) STRICT;

CREATE TABLE target_row (		-- a target is one opening of a file, one socket: its id is never used again
	id INTEGER PRIMARY KEY,		-- 0 = not known
	definition INTEGER NOT NULL
) STRICT;

CREATE TABLE target_raw (		-- targets of a second recording whose id could not be moved up
	recording INTEGER NOT NULL,
	raw INTEGER NOT NULL,		-- id in the recording
	id INTEGER NOT NULL,
	PRIMARY KEY (recording, raw)
) STRICT, WITHOUT ROWID;

INSERT INTO definition (id, sums, kind, class, text, proto, confirmed, resolved, evidence, flags) VALUES
	(1, 0, 'unknown', 'other', '<unknown>', NULL, 0, 'none', 'none', 0),
	(2, -1, 'socket', 'network', 'socket', 'other', 0, 'none', 'none', 0),
	(3, -2, 'unknown', 'other', '<further targets>', NULL, 0, 'none', 'none', 0);
INSERT INTO target_row VALUES (0, 1), (-1, 2), (-2, 3);

CREATE TABLE call (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,		-- the kernel's
	op TEXT NOT NULL,		-- the base call's: variants share one
	dir TEXT,			-- read, write; NULL = moves no data
	returns TEXT NOT NULL,		-- bytes messages fd zero size any
	second TEXT			-- what fd2 and target2 are: source from base path peer
) STRICT;

CREATE TABLE errno (
	err INTEGER PRIMARY KEY,
	name TEXT NOT NULL
) STRICT;

CREATE TABLE event_row (
	number INTEGER PRIMARY KEY,
	time INTEGER NOT NULL,		-- Unix time less meta.time_base_ns
	duration_ns INTEGER,
	thread INTEGER NOT NULL,
	call INTEGER NOT NULL,
	fd INTEGER,
	target INTEGER NOT NULL,
	requested INTEGER,
	bytes INTEGER,
	result INTEGER,			-- NULL where it is bytes
	offset INTEGER,
	flags INTEGER NOT NULL,
	cpu INTEGER
) STRICT;

CREATE TABLE event_more (
	number INTEGER PRIMARY KEY,
	fd2 INTEGER,
	target2 INTEGER,
	arg0 INTEGER,
	arg1 INTEGER
) STRICT;

CREATE TABLE unfinished (		-- calls that had not returned when tracing ended
	number INTEGER PRIMARY KEY,
	time_ns INTEGER NOT NULL,	-- Unix time, when that was seen
	duration_ns INTEGER,		-- so far
	process INTEGER NOT NULL,
	tid INTEGER NOT NULL,
	call INTEGER NOT NULL,
	fd INTEGER,
	target INTEGER NOT NULL,
	requested INTEGER
) STRICT;

CREATE TABLE loss (			-- calls or bytes that are not there one by one
	id INTEGER PRIMARY KEY,
	recording INTEGER NOT NULL,
	cause TEXT NOT NULL,		-- ring notes queue output damage truncated
	time_ns INTEGER,		-- Unix time of from_ns
	from_ns INTEGER,		-- boot clock
	until_ns INTEGER,
	calls INTEGER,
	offset INTEGER,			-- damage: where in the input
	bytes INTEGER,
	pids TEXT,
	message TEXT
) STRICT;

CREATE TABLE mapped (			-- with the set mmap: pages of a file that one process moved
	recording INTEGER NOT NULL,
	pid INTEGER NOT NULL,
	process ANY,			-- its name
	path ANY,			-- of the file; or its device and inode in words
	in_by_faults INTEGER NOT NULL,	-- bytes brought into the page cache by page faults on mappings
	in_by_calls INTEGER NOT NULL,	-- the same during calls
	dirty_by_faults INTEGER NOT NULL,	-- bytes of pages that became dirty by writes to mappings
	dirty_by_calls INTEGER NOT NULL
) STRICT;

CREATE TABLE notice (
	id INTEGER PRIMARY KEY,
	recording INTEGER NOT NULL,
	time_ns INTEGER,
	boot_ns INTEGER,
	type TEXT NOT NULL,		-- attached exec renamed exited untraced text clock_step end
	process INTEGER,
	pid INTEGER,
	parent INTEGER,
	reason INTEGER,
	path ANY,
	message TEXT
) STRICT;

-- Totals. Failed calls count in reads and writes and in errors; a call between two descriptors counts
-- for both targets, once everywhere else. latency_ns is of reads and writes. Times are Unix times.

CREATE TABLE total_by_target (
	target INTEGER PRIMARY KEY,	-- target.sums
	reads INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	writes INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	unsized INTEGER NOT NULL,	-- succeeded, bytes not known
	small INTEGER NOT NULL,		-- succeeded, under 512 bytes
	ops INTEGER NOT NULL,		-- calls that move no data
	op_errors INTEGER NOT NULL,
	latency_ns INTEGER NOT NULL,
	max_latency_ns INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE total_by_process (
	process INTEGER NOT NULL,
	class TEXT NOT NULL,
	reads INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	writes INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	unsized INTEGER NOT NULL,
	small INTEGER NOT NULL,
	ops INTEGER NOT NULL,
	op_errors INTEGER NOT NULL,
	latency_ns INTEGER NOT NULL,
	max_latency_ns INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (process, class)
) STRICT, WITHOUT ROWID;

CREATE TABLE total_by_process_target (
	process INTEGER NOT NULL,
	target INTEGER NOT NULL,	-- target.sums
	reads INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	writes INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	ops INTEGER NOT NULL,
	latency_ns INTEGER NOT NULL,
	PRIMARY KEY (process, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE total_by_call (
	recording INTEGER NOT NULL,
	call INTEGER NOT NULL,
	reads INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	writes INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	unsized INTEGER NOT NULL,
	small INTEGER NOT NULL,
	ops INTEGER NOT NULL,
	op_errors INTEGER NOT NULL,
	latency_ns INTEGER NOT NULL,	-- here of every call, ops too
	max_latency_ns INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (recording, call)
) STRICT, WITHOUT ROWID;

CREATE TABLE total_by_second (
	recording INTEGER NOT NULL,
	second INTEGER NOT NULL,	-- Unix time
	class TEXT NOT NULL,
	reads INTEGER NOT NULL,
	read_bytes INTEGER NOT NULL,
	writes INTEGER NOT NULL,
	written_bytes INTEGER NOT NULL,
	errors INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	unsized INTEGER NOT NULL,
	small INTEGER NOT NULL,
	ops INTEGER NOT NULL,
	op_errors INTEGER NOT NULL,
	latency_ns INTEGER NOT NULL,
	max_latency_ns INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (recording, second, class)
) STRICT, WITHOUT ROWID;

CREATE TABLE total_by_error (
	recording INTEGER NOT NULL,
	call INTEGER NOT NULL,
	err INTEGER NOT NULL,
	target INTEGER NOT NULL,	-- target.sums
	errors INTEGER NOT NULL,
	first_ns INTEGER NOT NULL,
	last_ns INTEGER NOT NULL,
	PRIMARY KEY (recording, call, err, target)
) STRICT, WITHOUT ROWID;

CREATE TABLE slowest (			-- the slowest calls of each recording
	number INTEGER PRIMARY KEY,	-- event.number
	recording INTEGER NOT NULL,
	duration_ns INTEGER NOT NULL
) STRICT;
