# embed.awk - report/page.css and page.js as C strings

BEGIN {
	print "/* made by report/embed.awk from report/page.css and report/page.js */"
	print "#include \"report/page_texts.h\""
}

FNR == 1 {
	if (FILENAME ~ /\.css$/)
		name = "page_style"
	else
		name = "page_script"
	if (begun)
		print "\t;"
	printf "\nconst char %s[] =\n", name
	begun = 1
}

{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	gsub(/\t/, "\\t")
	printf "\t\"%s\\n\"\n", $0
}

END { print "\t;" }
