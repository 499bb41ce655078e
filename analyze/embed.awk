# embed.awk - the SQL files of analyze/sql as one C array, for analyze/sql_texts.h
#
#	awk -f analyze/embed.awk analyze/sql/*.sql > sql_texts.c
#
# A row is the file's name without folder and suffix, and its text. Each line of it is a literal of
# its own, so that a compiler's message about the array points to the line.

function end_file() {
	if (open)
		print "\t},"
	open = 0
}

function quoted(line) {
	gsub(/\\/, "&&", line)
	gsub(/"/, "\\\"", line)
	gsub(/\?\?/, "?\\?", line)	# no trigraphs
	gsub(/\t/, "\\t", line)
	return "\"" line "\\n\""
}

BEGIN {
	print "/* sql_texts.c - made by analyze/embed.awk from analyze/sql; do not edit */"
	print "#include \"analyze/sql_texts.h\"\n"
	print "const struct sql_text sql_texts[] = {"
}

FNR == 1 {
	end_file()
	name = FILENAME
	sub(/^.*\//, "", name)
	sub(/\.sql$/, "", name)
	printf "\t{\"%s\",\n", name
	open = 1
}

{ print "\t " quoted($0) }

END {
	end_file()
	print "\t{0, 0},\n};"
}
