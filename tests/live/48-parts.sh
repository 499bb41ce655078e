# 48-parts.sh - each message of sendmmsg and recvmmsg with its peer, each range of FIDEDUPERANGE with its file

. tests/lib/witness.sh
need_trace

# The ranges need a file system that shares data; anywhere else the call fails as a whole.
home=$tmp/dir
if mkfs=$(PATH="$PATH:/usr/sbin:/sbin" command -v mkfs.btrfs) && truncate -s 128M "$tmp/image" &&
	"$mkfs" -q "$tmp/image" >/dev/null 2>&1 && mkdir "$tmp/shares" && mount -o loop "$tmp/image" "$tmp/shares" 2>"$tmp/err"; then
	trap 's=$?; umount -l "$tmp/shares"; (exit $s); check_end' EXIT
	home=$tmp/shares/dir
	mkdir "$home"
fi
trace parts -- "$w/parts" "$tmp/s" "$home"
"$B/iotap-decode" --dump "$tmp/parts.iotap" >"$tmp/parts.dump"
statements "$tmp/s" >"$tmp/said"
said=$(python3 tests/live/coverage.py "$tmp/said" "$tmp/parts.dump" 2>&1) && status=0 || status=$?
check_eq "each call and each of its parts: $(printf '%s\n' "$said" | tail -n 1)" "0" "$status"
[ "$status" = 0 ] || printf '%s\n' "$said" | sed 's/^/# /'
[ "$home" != "$tmp/dir" ] || skip "ranges" "no btrfs here: $(cat "$tmp/err" 2>/dev/null)"
[ "$home" = "$tmp/dir" ] || check_eq "ranges: one file shares what it has, one differs" "0 8192 1" \
	"$(said "$tmp/s" ranges) $(said "$tmp/s" shared) $(said "$tmp/s" differs)"

check_eq "parts that have no line are counted" "$(said "$tmp/s" left)" \
	"$(pick parts "kind == 'summary'" "e['blind_spots']['parts_left_out']")"
check_match "and the summary says so" "8 parts of calls with more than 32 messages" \
	"$("$B/iotap-decode" -q "$tmp/parts.iotap" 2>/dev/null)"
check_eq "a pipe's reading end is read" "vmsplice read 50,vmsplice read None,vmsplice write 50" \
	"$(pick parts "call == 'vmsplice'" "call, e['dir'], e['bytes']" | tr -d "(),'" | sort -u | head -n 3 | paste -sd,)"
"$B/iotap-analyze" sql -F tsv "$tmp/parts.iotap" "select c.name, c.dir, sum(e.bytes) from event e join call c on c.id = e.call
	where c.name = 'vmsplice' group by 1, 2 order by 2" | tail -n +2 >"$tmp/by-recording"
"$B/iotap-analyze" sql -F tsv "$tmp/parts.jsonl" "select c.name, c.dir, sum(e.bytes) from event e join call c on c.id = e.call
	where c.name = 'vmsplice' group by 1, 2 order by 2" | tail -n +2 >"$tmp/by-lines"
printf 'vmsplice\tread\t50\nvmsplice\twrite\t100\n' >"$tmp/expected"
check_files "by SQL: its bytes are told apart, of a recording" "$tmp/expected" "$tmp/by-recording"
check_files "and of JSON Lines" "$tmp/expected" "$tmp/by-lines"
check_eq "by SQL: each peer with what it was sent" "16 320,16 336" \
	"$("$B/iotap-analyze" sql -F tsv "$tmp/parts.iotap" "select count(*) || ' ' || sum(e.result) from event e
		join call c on c.id = e.call join target t on t.id = e.target2 where c.name = 'sendmmsg_message'
		and e.result <> 105 group by t.remote_port order by sum(e.result)" | tail -n +2 | paste -sd,)"

# strace has the same of the same run, as long as it is there.
if command -v strace >/dev/null && strace -o "$tmp/try" true 2>"$tmp/err"; then
	[ "$home" = "$tmp/dir" ] || { home=$tmp/shares/again && mkdir "$home"; }
	witness same "$w/parts" "$tmp/t" "$home"
	check_match "same: with the parts that strace shows" "compared: .* [1-9][0-9]* parts" "$(agree same | grep compared)"
else
	skip "the same as strace has it" "no strace here: $(cat "$tmp/err" 2>/dev/null)"
fi

trace only --calls recvmmsg -- "$w/parts" "$tmp/o" "$tmp/dir"
check_eq "--calls: the parts of the calls that were asked for" "recvmmsg recvmmsg_message" \
	"$(pick only "kind in ('event', 'op')" call | sort -u | paste -sd' ')"

# Both rows of vmsplice have one number: which it is, its pipe says.
for latency in "" --no-latency; do
	for way in read write; do
		mkdir "$tmp/$way$latency"
		trace "$way$latency" $latency --calls "%$way" -- "$w/parts" "$tmp/p" "$tmp/$way$latency"
		check_eq "--calls %$way $latency: vmsplice of such ends, and no other" "$way" \
			"$(pick "$way$latency" "call == 'vmsplice'" "e['dir']" | sort -u | paste -sd' ')"
		check_eq "--calls %$way $latency: nothing of the other way" "" \
			"$(pick "$way$latency" "kind == 'event' and e['dir'] != '$way'" call | sort -u | paste -sd' ')"
	done
done
