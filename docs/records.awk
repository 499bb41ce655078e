# records.awk - the tables of iotap-recording(5) out of the rows of a .def file
#
#   awk -f docs/records.awk formats/records.def     records and their fields
#   awk -f docs/records.awk formats/columns.def     columns of a block of calls
#   awk -f docs/records.awk formats/calls.def       system calls
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

# What the two targets of a call are, as formats/calls.c has it: columns of CALL by number.
function target_of(a) {
	if (a[16] ~ /^(OPENS|DUPS|FCNTL|PAIR)$/)
		return "made"
	if (a[14] ~ /^PATH/)
		return "path"
	if (a[14] == "PROCESS" || a[14] == "QUEUE")
		return tolower(a[14])
	return a[9] >= 0 ? "descriptor" : "\\&"
}

function second_of(a) {
	if (a[14] ~ /^PATHS/)
		return "second path"
	if (a[14] ~ /^PEER/)
		return "peer"
	if (a[14] == "PATH")
		return a[9] >= 0 ? "directory" : "\\&"
	if (a[10] >= 0 || a[16] == "CLONES")
		return "source"
	if (a[16] ~ /^(PAIR|DUPS|FCNTL)$/ || (a[16] == "OPENS" && a[9] >= 0))
		return "made from"
	return "\\&"
}

function row(line,    a, i) {
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
	} else if (line ~ /^(CALL|REQUEST|TWIN|PART)\(/) {
		if (line ~ /^TWIN/)
			for (i = 2; i <= 16; i++)
				a[i] = a[i + 1]
		if (line !~ /^CALL/)
			for (i = 18; i >= 3; i--)
				a[i] = i > 5 ? a[i - 3] : -1
		printf ".It %d Ta %s Ta %s Ta %s Ta %s Ta %s\n", a[1], a[2], a[6], \
			a[7] == "NONE" ? "\\&" : tolower(a[7]), target_of(a), second_of(a)
	} else if (line ~ /^COLUMN\(/) {
		line = text_of(line)
		printf ".It %d Ta %s Ta %s Ta %s%s\n", a[1], a[2], a[3], a[4], \
			" Ta " (line == "" ? "\\&" : line)
	}
}

function table(file,    line) {
	if (file ~ /records/)
		print ".Bl -tag -width Ds"
	else if (file ~ /calls/)
		print ".Bl -column \"139\" \"process_vm_writev\" \"process_vm_writev\" \"write\" \"descriptor\" \"second path\"\n" \
			".It Em id Ta Em call Ta Em op Ta Em moves Ta Em target Ta Em second"
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
