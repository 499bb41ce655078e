# iotap_sudo.sh - under sudo only iotap-capture keeps privilege, and files belong to the user
#
# With scripts in the place of the programs, and SUDO_UID and SUDO_GID as sudo would set them.

. tests/lib/check.sh
need_program iotap
need_root
need_tool ps
tmpdir
chmod 755 "$tmp"
cp "$B/iotap" "$tmp/iotap"
mkdir -m 755 "$tmp/log" "$tmp/home" "$tmp/roots"
chown 65534:65534 "$tmp/log" "$tmp/home"
export LOG=$tmp/log

who='grep -E "^(Uid|Gid|Groups|CapEff|NoNewPrivs)" /proc/self/status'
cat >"$tmp/iotap-capture" <<END
#!/bin/bash
echo \$\$ >"\$LOG/capture.pid"
$who >"\$LOG/capture.who"
for word in "\$@"; do case \$word in --output=*) exec 9>"\${word#--output=}" ;; esac; done
printf 'IoTB first\n' >&9
[ -z "\$WAIT" ] || exec sleep "\$WAIT"
END
cat >"$tmp/iotap-decode" <<END
#!/bin/bash
echo \$\$ >"\$LOG/decode.pid"
$who >"\$LOG/decode.who"
exec cat
END
chmod +x "$tmp/iotap-capture" "$tmp/iotap-decode"
cd "$tmp" || exit 1

as_sudo() {
	status=0
	SUDO_UID=65534 SUDO_GID=65534 timeout 60 ./iotap "$@" >out 2>err </dev/null || status=$?
	out=$(cat out) err=$(cat err)
}

as_sudo --record home/r.iotap --output home/o.txt 12
check_eq "status" "0 " "$status $err"
check_match "capture keeps root" '^Uid:	0	0	0	0$' "$(cat log/capture.who)"
check_match "decode is the user" '^Uid:	65534	65534	65534	65534$' "$(cat log/decode.who)"
check_match "decode has the user's group" '^Gid:	65534	65534	65534	65534$' "$(cat log/decode.who)"
check_no_match "decode is in no group of root" '^Groups:.*	(0|.* 0)( |$)' "$(cat log/decode.who)"
check_match "decode has no capability" '^CapEff:	0000000000000000$' "$(cat log/decode.who)"
check_match "decode can gain none" '^NoNewPrivs:	1$' "$(cat log/decode.who)"
check_eq "the recording is the user's" "65534 600" "$(stat -c '%u %a' home/r.iotap)"
check_eq "the output is the user's" 65534 "$(stat -c %u home/o.txt)"

as_sudo --record roots/r.iotap 12
check_eq "no recording where the user may not write" "1 " "$status $(ls -A roots)"
check_match "no recording where the user may not write: said" 'roots/r.iotap: cannot create it: Permission denied' "$err"
echo old >roots/o.txt
as_sudo --output roots/o.txt 12
check_eq "no output where the user may not write" "1 old" "$status $(cat roots/o.txt)"
ln -s ../roots/o.txt home/link
as_sudo --force --record home/link 12
check_eq "a link is replaced, not followed" "0 old IoTB first" "$status $(cat roots/o.txt) $(cat home/link)"

as_sudo --replay home/r.iotap
check_match "--replay runs as the user" '^Uid:	65534	' "$(cat log/decode.who)"

SUDO_UID=none SUDO_GID=1 ./iotap 12 >out 2>err
check_eq "SUDO_UID that is no user: refused" 1 $?
check_match "SUDO_UID that is no user: said" '^iotap: SUDO_UID' "$(cat err)"

# A driver that is killed takes the stages of another user with it, too.
rm -f log/*.who
WAIT=60 SUDO_UID=65534 SUDO_GID=65534 setsid ./iotap --record home/k.iotap 12 >out 2>err </dev/null &
check_pids=$!
wait_for 30 test -s log/decode.who
wait_for 30 test -s home/k.iotap
kill -9 $check_pids
running() {
	ps -o stat= -p "$(cat "$1")" | grep -qv '^Z'
}
nobody_left() {
	! running log/capture.pid && ! running log/decode.pid &&
		! ps -eo stat=,uid=,args= | grep -qE '^[^Z][^ ]* +65534 +[.]/iotap'
}
check_that "kill -9 of the driver: nobody is left within a second" wait_for "$(a_second)" nobody_left
