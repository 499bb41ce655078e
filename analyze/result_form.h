/* result_form.h - one output format: what to do before, for each and after the rows of a statement */
#ifndef ANALYZE_RESULT_FORM_H
#define ANALYZE_RESULT_FORM_H

#include "analyze/result.h"

struct result_form {
	int (*begin)(struct result *, sqlite3_stmt *);	/* the columns are known; may be NULL */
	int (*row)(struct result *, sqlite3_stmt *);
	int (*end)(struct result *);			/* may be NULL */
};

extern const struct result_form result_table_form, result_json_form, result_csv_form, result_tsv_form;

void result_table_free(struct result_table *t);

#endif
