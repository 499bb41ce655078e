# 04-family.sh - children: one already running, later ones, a grandchild, twenty that end at once
# live check: 13

. tests/lib/trace.sh
need_trace

mkfifo "$tmp/go"
background "$w/family" "$tmp/s" "$tmp/dir" "$tmp/go"
parent=$!
exec 3<>"$tmp/go"
wait_said "$tmp/s" parent
background sh -c 'while sleep 0.01; do echo x; done >"$1"' sh "$tmp/dir/bystander"
follow family -f "$parent"
echo g >&3
wait "$parent"
eval "wait \$capture_family"
laws family
# situation: 104, 153
stated family "$tmp/s" --min 24 --only-pids
check_eq "the child that ran already is among the first" 1 \
	"$(pick family "kind == 'start' and $(said "$tmp/s" first) in [p['pid'] for p in e['processes']]" | wc -l)"
check_eq "every later child is told with its parent" \
	"$(statements "$tmp/s" | sed -n 's/^process pid=\(.*\) parent=\(.*\)/\1 \2/p' | sort)" \
	"$(pick family "kind == 'attached'" "'%d %d' % (e['pid'], e['parent'])" | sort)"
check_eq "none was missed" "{'ended': 0, 'full': 0, 'not_followed': 0}" "$(pick family "kind == 'summary'" "e['untraced_children']")"
