/* resolver_child.h - the process that asks the system for names of hosts; see resolver.h */
#ifndef REPORT_RESOLVER_CHILD_H
#define REPORT_RESOLVER_CHILD_H

#include "formats/iotap.h"

struct resolver_request {
	char address[48];		/* INET6_ADDRSTRLEN and a little, as text */
};

struct resolver_answer {
	char address[48];		/* as it was asked */
	char name[IOTAP_HOST_NAME_SIZE];	/* "" = it has none */
};

/* Answers what comes over ask until that ends or the parent does. Does not return. */
_Noreturn void resolver_child(int ask, int answers);

#endif
