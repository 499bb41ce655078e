/* words.c - the words that the database has for the enums of formats/iotap.h */
#include "analyze/words.h"

#include <stddef.h>

#include "formats/calls.h"
#include "formats/iotap.h"

#define WORD(list, number, otherwise) \
	((number) < sizeof(list) / sizeof((list)[0]) && (list)[number] ? (list)[number] : (otherwise))

const char *
word_kind(unsigned int kind)
{
	static const char *const words[] = {
		[IOTAP_KIND_UNKNOWN] = "unknown", [IOTAP_KIND_FILE] = "file", [IOTAP_KIND_SOCKET] = "socket",
		[IOTAP_KIND_PIPE] = "pipe", [IOTAP_KIND_ANON] = "anon", [IOTAP_KIND_MEMFD] = "memfd",
	};

	return WORD(words, kind, "unknown");
}

const char *
word_class(unsigned int klass)
{
	static const char *const words[] = {
		[IOTAP_CLASS_FILE] = "file", [IOTAP_CLASS_NETWORK] = "network", [IOTAP_CLASS_OTHER] = "other",
	};

	return WORD(words, klass, "other");
}

const char *
word_resolved(unsigned int resolved)
{
	static const char *const words[] = {
		[IOTAP_RESOLVED_NONE] = "none", [IOTAP_RESOLVED_TRACED] = "traced",
		[IOTAP_RESOLVED_SNAPSHOT] = "snapshot", [IOTAP_RESOLVED_LAZY] = "lazy",
	};

	return WORD(words, resolved, "none");
}

const char *
word_evidence(unsigned int evidence)
{
	static const char *const words[] = {
		[IOTAP_EVIDENCE_NONE] = "none", [IOTAP_EVIDENCE_KERNEL] = "kernel",
		[IOTAP_EVIDENCE_PROC] = "proc", [IOTAP_EVIDENCE_USER] = "user",
	};

	return WORD(words, evidence, "none");
}

const char *
word_notice(unsigned int type)
{
	static const char *const words[] = {
		[IOTAP_NOTICE_START] = "start", [IOTAP_NOTICE_ATTACHED] = "attached",
		[IOTAP_NOTICE_EXEC] = "exec", [IOTAP_NOTICE_RENAMED] = "renamed",
		[IOTAP_NOTICE_EXITED] = "exited", [IOTAP_NOTICE_UNTRACED] = "untraced",
		[IOTAP_NOTICE_TEXT] = "text", [IOTAP_NOTICE_CLOCK_STEP] = "clock_step",
		[IOTAP_NOTICE_END] = "end",
	};

	return WORD(words, type, "unknown");
}

const char *
word_cause(unsigned int cause)
{
	static const char *const words[] = {
		[IOTAP_DROP_RING] = "ring", [IOTAP_DROP_NOTES] = "notes", [IOTAP_DROP_QUEUE] = "queue",
		[IOTAP_DROP_OUTPUT] = "output", [IOTAP_DROP_DAMAGE] = "damage",
		[IOTAP_DROP_TRUNCATED] = "truncated",
	};

	return WORD(words, cause, "unknown");
}

const char *
word_arch(uint32_t arch)
{
	static const char *const words[] = {
		[ARCH_X86_64] = "x86_64", [ARCH_ARM64] = "arm64", [ARCH_I386] = "i386",
	};

	return WORD(words, arch, NULL);
}

const char *
word_os(uint32_t os)
{
	return os == 1 ? "linux" : NULL;
}
