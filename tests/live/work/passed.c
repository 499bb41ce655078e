/* passed.c - descriptors that no call of their user made: passed by SCM_RIGHTS, and shared tables
 *
 * passed STATEMENTS DIRECTORY N
 *
 * A child opens N files and a TCP connection and passes them to its parent, which writes to each; a
 * task that shares the descriptor table but not memory (CLONE_FILES) opens, the other one writes;
 * two threads open and close the same numbers.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "tests/live/work/say.h"

static char bytes[4096];

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int
pass(int over, int fd, int receive)
{
	union control control = { .room = { 0 } };
	char byte = 'f';
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1,
				  .msg_control = &control, .msg_controllen = sizeof(control) };

	if (receive) {
		if (recvmsg(over, &message, MSG_CMSG_CLOEXEC) != 1)
			die("recvmsg");
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
		return fd;
	}
	control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
					 .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	return sendmsg(over, &message, 0) == 1 ? 0 : -1;
}

static void
sender(int over, int n)
{
	struct sockaddr_in name = { .sin_family = AF_INET };
	socklen_t length = sizeof(name);
	char path[32];
	int fd, server;

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "passed-%d", i);
		fd = open(path, O_RDWR | O_CREAT, 0600);
		pass(over, fd, 0);
		close(fd);
		unlink(path);
	}
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server = socket(AF_INET, SOCK_STREAM, 0);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(server, (void *)&name, length) != 0 || listen(server, 1) != 0 ||
	    getsockname(server, (void *)&name, &length) != 0 ||
	    connect(fd, (void *)&name, length) != 0)
		die("connect");
	pass(over, fd, 0);
	pass(over, accept(server, NULL, NULL), 0);
	_exit(0);
}

static void
receive_and_use(struct say *say, int n)
{
	int ends[2], one, other;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		die("socketpair");
	child = fork();
	if (child == 0)
		sender(ends[0], n);
	close(ends[0]);
	for (int i = 0; i < n; i++) {
		const int fd = pass(ends[1], -1, 1);

		DID(say, "write", fd, write(fd, bytes, (size_t)i + 1));
		close(fd);
	}
	one = pass(ends[1], -1, 1);
	other = pass(ends[1], -1, 1);
	waitpid(child, NULL, 0);
	DID(say, "write", one, write(one, bytes, 321));
	DID(say, "read", other, read(other, bytes, sizeof(bytes)));
	close(one);
	close(other);
	close(ends[1]);
}

/* Hands turns between tasks that share a table but not memory. */
struct turns {
	int to_child[2], to_parent[2];
};

static void
turn(int fd, int value, int *got)
{
	int word = value;

	if (got) {
		if (read(fd, &word, sizeof(word)) != sizeof(word))
			die("turn");
		*got = word;
	} else if (write(fd, &word, sizeof(word)) != sizeof(word)) {
		die("turn");
	}
}

static void
shared_table(struct say *say, int n)
{
	struct turns turns;
	pid_t child;
	int fd;

	if (pipe(turns.to_child) != 0 || pipe(turns.to_parent) != 0)
		die("pipe");
	child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, 0);
	if (child == 0) {
		char path[32];

		for (int i = 0; i < n; i++) {
			snprintf(path, sizeof(path), "shared-%d", i);
			turn(turns.to_parent[1], open(path, O_RDWR | O_CREAT, 0600), NULL);
			turn(turns.to_child[0], 0, &fd);	/* closed by the other */
			unlink(path);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		turn(turns.to_parent[0], 0, &fd);
		say_begin(say);
		DID(say, "write", fd, write(fd, bytes, (size_t)i + 100));
		say_end(say);
		close(fd);
		turn(turns.to_child[1], 0, NULL);
	}
	waitpid(child, NULL, 0);
}

struct job {
	struct say *say;
	int number, n;
};

static void *
contend(void *argument)
{
	const struct job *job = argument;
	char path[32];

	snprintf(path, sizeof(path), "thread-%d", job->number);
	say_begin(job->say);
	for (int i = 0; i < job->n; i++) {
		const int fd = open(path, O_RDWR | O_CREAT, 0600);

		DID(job->say, "write", fd, write(fd, bytes, (size_t)job->number * 100 + 1));
		close(fd);
	}
	say_end(job->say);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct job jobs[3];
	pthread_t threads[3];
	struct say *say;
	int n;

	if (argc != 4)
		die("usage: passed STATEMENTS DIRECTORY N");
	say = say_open(argv[1]);
	if (chdir(argv[2]) != 0)
		die("%s", argv[2]);
	n = atoi(argv[3]);
	say_line(say, "loose tid=%d", say_tid());
	receive_and_use(say, n);
	shared_table(say, n);
	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ say, i, n };
		pthread_create(&threads[i], NULL, contend, &jobs[i]);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
