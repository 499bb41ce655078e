# records.awk - the tables of iotap-recording(5) out of the rows of a .def file
#
#   awk -f docs/records.awk formats/records.def     records and their fields
#   awk -f docs/records.awk formats/columns.def     columns of a block of calls
#   awk -f docs/records.awk docs/iotap-recording.5  the page with its tables made anew
#
# In the page a table stands between the lines  .\" table FILE  and  .\" end  and says so; a test
# compares the page with what this program makes of it.

function text_of(line) {
	if (!match(line, /".*"/))
		return ""
	return substr(line, RSTART + 1, RLENGTH - 2)
}

# The text on lines of its own, as long as the page has them.
function print_text(line,    n, words, i, out) {
	n = split(line, words, " ")
	for (i = 1; i <= n; i++) {
		if (out != "" && length(out) + 1 + length(words[i]) > 79) {
			print out
			out = ""
		}
		out = out == "" ? words[i] : out " " words[i]
	}
	if (out != "")
		print out
}

function args_of(line) {
	sub(/".*/, "", line)
	sub(/^[ \t]*[A-Z_]+\([ \t]*/, "", line)
	gsub(/[ \t]/, "", line)
	return line
}

function row(line,    a) {
	split(args_of(line), a, ",")
	if (line ~ /^RECORD\(/) {
		printf ".It %d Sy %s\n", a[1], a[2]
		print_text(text_of(line))
		print ".Bl -tag -width \"U write_bytes\" -compact"
	} else if (line ~ /^RECORD_END\(/) {
		print ".El"
	} else if (line ~ /^[ \t]+[UIB]\(/) {
		match(line, /[UIB]\(/)
		printf ".It %s Va %s\n", substr(line, RSTART, 1), a[2]
		print_text(text_of(line))
	} else if (line ~ /^COLUMN\(/) {
		line = text_of(line)
		printf ".It %d Ta %s Ta %s Ta %s%s\n", a[1], a[2], a[3], a[4], \
			" Ta " (line == "" ? "\\&" : line)
	}
}

function table(file,    line) {
	if (file ~ /records/)
		print ".Bl -tag -width Ds"
	else
		print ".Bl -column \"id\" \"requested\" \"REQUESTED\" \"TARGET\" \"time of return\"\n" \
			".It Em id Ta Em column Ta Em which Ta Em how Ta Em meaning"
	while ((getline line < file) > 0)
		row(line)
	close(file)
	print ".El"
}

FNR == 1 && FILENAME ~ /\.def$/ { table(FILENAME); exit }
/^\.\\" table / { print; table($3); skipping = 1; next }
/^\.\\" end$/   { skipping = 0 }
!skipping       { print }
