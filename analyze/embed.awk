# embed.awk - analyze/sql/*.sql as one C array: name, title, text
#
# A report (report-NAME.sql) must begin with its header: title, columns, parameters. A file without
# one is refused, which stops the build.

function fail(why)
{
	printf "%s: %s\n", FILENAME, why > "/dev/stderr"
	failed = 1
	exit 1
}

function finish()
{
	if (name == "")
		return
	if (is_report && (title == "" || !columns || !parameters))
		fail("a report begins with '-- title:', '-- columns:' and '-- parameters:' lines")
	printf "\t},\n"
}

BEGIN {
	print "/* made by analyze/embed.awk from analyze/sql */"
	print "#include \"analyze/sql_texts.h\""
	print ""
	print "const struct sql_text sql_texts[] = {"
}

FNR == 1 {
	finish()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.sql$/, "", name)
	is_report = name ~ /^report-/
	sub(/^report-/, "", name)
	title = ""
	columns = parameters = 0
	body = 0
	if (is_report && $0 !~ /^-- title: /)
		fail("the first line of a report is '-- title: ...'")
	if (is_report) {
		title = substr($0, 11)
		gsub(/[\\"]/, "\\\\&", title)
	}
	printf "\t{ \"%s\", %s, %s,\n", name, is_report ? 1 : 0, is_report ? "\"" title "\"" : "NULL"
}

/^-- columns: / { columns = 1 }
/^-- parameters: / { parameters = 1 }

{
	line = $0
	gsub(/\\/, "&&", line)
	gsub(/"/, "\\\"", line)
	gsub(/\t/, "\\t", line)
	printf "\t  \"%s\\n\"\n", line
}

END {
	if (failed)
		exit 1
	finish()
	print "\t{ NULL, 0, NULL, NULL }"
	print "};"
}
