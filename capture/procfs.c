/* procfs.c - what the texts of /proc say; no file is touched here
 *
 * /proc/PID/stat is "PID (COMM) STATE PPID PGRP SESSION TTY TPGID FLAGS ... STARTTIME ...": numbers
 * separated by one blank, of which STARTTIME is the 22nd field. COMM may hold blanks and brackets.
 * /proc/PID/status has one "Name:\tvalue" a line; only Name is under a process's control, and it
 * stands first with its newlines escaped.
 */
#include "capture/procfs.h"

#include <string.h>

enum {
	FIELD_STATE = 3, FIELD_PARENT, FIELD_GROUP, FIELD_SESSION,
	FIELD_FLAGS = 9,
	FIELD_START = 22,
	PF_EXITING_BIT = 0x4,		/* PF_EXITING, linux/sched.h */
};

/* What is left of a text. */
struct cursor {
	const char *p, *end;
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Decimal digits up to something else; a sign is read and dropped (tty and tpgid may be -1). */
static bool
cursor_number(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	const char *first;

	if (c->p < c->end && *c->p == '-')
		c->p++;
	for (first = c->p; c->p < c->end && is_digit(*c->p); c->p++) {
		const uint64_t digit = (uint64_t)(*c->p - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return c->p != first;
}

static void
cursor_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
}

static bool
stat_fields(struct cursor *c, struct procfs_stat *out)
{
	for (int field = FIELD_PARENT; field <= FIELD_START; field++) {
		uint64_t v;

		cursor_blanks(c);
		if (!cursor_number(c, &v))
			return false;
		if (field == FIELD_PARENT)
			out->parent = (uint32_t)v;
		else if (field == FIELD_GROUP)
			out->group = (uint32_t)v;
		else if (field == FIELD_SESSION)
			out->session = (uint32_t)v;
		else if (field == FIELD_FLAGS)
			out->flags = (uint32_t)v;
		else if (field == FIELD_START)
			out->start_ticks = v;
	}
	return true;
}

bool
procfs_parse_stat(const void *text, size_t n, struct procfs_stat *out)
{
	const char *const t = text;
	const char *const open = n > 0 ? memchr(t, '(', n) : NULL;
	const char *const close = n > 0 ? memrchr(t, ')', n) : NULL;
	struct cursor c = {.p = t, .end = t + n};
	size_t len;
	uint64_t pid;

	if (!open || !close || close < open || !cursor_number(&c, &pid))
		return false;
	*out = (struct procfs_stat){.pid = (uint32_t)pid};
	len = (size_t)(close - open - 1);
	memcpy(out->comm, open + 1, len < PROCFS_COMM_MAX ? len : PROCFS_COMM_MAX);
	c.p = close + 1;
	cursor_blanks(&c);
	if (c.p == c.end)
		return false;
	out->state = *c.p++;
	return stat_fields(&c, out);
}

bool
procfs_is_ending(const struct procfs_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x' ||
	       (stat->flags & PF_EXITING_BIT) != 0;
}

size_t
procfs_arg0_len(const void *text, size_t n)
{
	const size_t within = n < PROCFS_ARG0_MAX + 1 ? n : PROCFS_ARG0_MAX + 1;
	const char *const nul = n > 0 ? memchr(text, '\0', within) : NULL;

	return nul ? (size_t)(nul - (const char *)text) : 0;
}

/* The values of the line that begins with name (":" included); false when there is none. */
static bool
status_line(const char *text, size_t n, const char *name, struct cursor *out)
{
	const size_t len = strlen(name);
	const char *p = text, *const end = text + n;

	while (p < end) {
		const char *const newline = memchr(p, '\n', (size_t)(end - p));
		const char *const stop = newline ? newline : end;

		if ((size_t)(stop - p) > len && memcmp(p, name, len) == 0) {
			*out = (struct cursor){.p = p + len, .end = stop};
			return true;
		}
		p = newline ? newline + 1 : end;
	}
	return false;
}

static bool
status_number(const char *text, size_t n, const char *name, uint32_t *out)
{
	struct cursor c;
	uint64_t v;

	if (!status_line(text, n, name, &c))
		return false;
	cursor_blanks(&c);
	if (!cursor_number(&c, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

bool
procfs_parse_status(const void *text, size_t n, struct procfs_status *out)
{
	const char *const t = text;
	struct cursor c;

	*out = (struct procfs_status){0};
	if (n == 0 || !status_number(t, n, "Tgid:", &out->tgid) ||
	    !status_number(t, n, "Uid:", &out->uid))
		return false;
	(void)status_number(t, n, "Threads:", &out->threads);
	out->pid_in_ns = out->tgid;
	if (status_line(t, n, "NSpid:", &c)) {
		uint64_t v;

		for (cursor_blanks(&c); c.p < c.end && cursor_number(&c, &v); cursor_blanks(&c))
			out->pid_in_ns = (uint32_t)v;
	}
	return true;
}

bool
procfs_parse_inode(const char *link, size_t n, const char *kind, uint64_t *inode)
{
	const size_t len = strlen(kind);
	struct cursor c;
	uint64_t v;

	if (n < len + 4 || memcmp(link, kind, len) != 0 || memcmp(link + len, ":[", 2) != 0)
		return false;
	c = (struct cursor){.p = link + len + 2, .end = link + n};
	if (!cursor_number(&c, &v) || c.p + 1 != c.end || *c.p != ']')
		return false;
	*inode = v;
	return true;
}

size_t
procfs_name_len(const char *link, size_t n)
{
	static const char mark[] = " (deleted)";
	const size_t len = sizeof(mark) - 1;

	return n > len && memcmp(link + n - len, mark, len) == 0 ? n - len : n;
}

size_t
procfs_base(const char *path, size_t n)
{
	const char *const slash = n > 0 ? memrchr(path, '/', n) : NULL;

	return slash ? (size_t)(slash - path) + 1 : 0;
}
