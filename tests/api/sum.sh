# sum.sh - a program that knows the installed library only: built as its manual page says, and right

. tests/lib/check.sh
need_program tests/golden/assemble libiotap.so
tmpdir

"$B/tests/golden/assemble" <tests/golden/rec/curl.rec >"$tmp/curl.iotap"
expected='notice: 4242 (curl)
4242 sendto ok tcp 192.168.1.20:61000 -> 93.184.216.34:443
4242 recvfrom ok tcp 192.168.1.20:61000 -> 93.184.216.34:443
4242 recvfrom EAGAIN tcp 192.168.1.20:61000 -> 93.184.216.34:443
4242 write ok /Users/me/page.html
4242 write ok /dev/ttys004
notice: 4242 (curl) exited
5 calls, 1 failed, 4096 bytes read, 4633 written, 208330 ns, 3 notices, 0 losses'

if [ -x "$B/tests/api/sum" ]; then
	check_eq "the program of the tree" "$expected" "$("$B/tests/api/sum" "$tmp/curl.iotap")"
fi

# As a stranger would: the installed header, library and pkg-config file.
if command -v pkg-config >/dev/null && [ -z "${SAN:-}" ]; then
	if make -s O="$O" COV="${COV:-}" PREFIX="$tmp/usr" install >"$tmp/install" 2>&1; then
		export PKG_CONFIG_PATH="$tmp/usr/lib/pkgconfig"
		# shellcheck disable=SC2046
		check_that "it builds against what is installed" "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic \
			-Werror tests/api/sum.c $(pkg-config --cflags --libs iotap) -o "$tmp/sum"
		check_eq "and says the same" "$expected" \
			"$(LD_LIBRARY_PATH="$tmp/usr/lib" "$tmp/sum" "$tmp/curl.iotap")"
	else
		not_ok "installs" "$(tail -n 5 "$tmp/install")"
	fi
else
	skip "it builds against what is installed" "needs pkg-config and a build without sanitizers"
fi

head -c 700 "$tmp/curl.iotap" >"$tmp/cut.iotap"
[ ! -x "$B/tests/api/sum" ] ||
	check_match "a recording cut short is a loss, not an error" "1 losses" "$("$B/tests/api/sum" "$tmp/cut.iotap")"
