# capture_manual.sh - iotap-capture(8) and --help name the same options

. tests/lib/check.sh
need_program iotap-capture

page=docs/iotap-capture.8
in_page=$(grep -oE '^\.It Fl .*' $page | sed -E 's/^\.It //' | grep -oE '(^|, )(Fl [A-Za-z] , -|Fl -|-)[a-z][a-z-]+' |
	grep -oE '[a-z][a-z-]+$' | sort -u)
in_help=$("$B/iotap-capture" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sed 's/^--//' | sort -u)
check_eq "$page has the options of iotap-capture" "$in_help" "$in_page"

# The reasons for an end, the rules and the allowed calls are said where they are made.
check_eq "every reason of an end has a name in text" \
	"$(grep 'U(end, reason,' formats/records.def | grep -oE '[",] ?[0-9]+ ' | grep -oE '[0-9]+')" \
	"$(sed -n 's/^NAMED(end, reason, \([0-9]*\), .*/\1/p' formats/rectext.def)"
check_eq "at most 40 system calls are left" "" \
	"$(for f in capture/allowed.def formats/base/reader_calls.def; do
		n=$(sed -nE 's/^CALL(_WITH)?\(([a-z0-9_]+).*/\2/p' $f | sort -u | wc -l)
		[ "$n" -le 40 ] || echo "$f: $n"
	done)"
check_eq "none of them makes sockets, programs, processes or other rights" "" \
	"$(sed -nE 's/^CALL(_WITH)?\(([a-z0-9_]+).*/\2/p' capture/allowed.def formats/base/reader_calls.def |
		grep -E '^(socket|connect|bind|accept|sendto|exec|fork|vfork|clone|ptrace|process_vm|kill$|set.*id$|capset|mount|perf_event|init_module|keyctl|prctl|seccomp|io_uring)' | head -n 3)"
