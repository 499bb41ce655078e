# 60-torture.sh - the short form of `make torture`: a run of each size of ring, a few kills, and how they add up

. tests/lib/trace.sh
need_trace

# torture WHAT N OPTION...: status, and how many the results have.
torture() {
	local what=$1 n=$2 status=0
	shift 2
	tests/torture/run --results "$tmp/t.json" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	check_eq "$what" "0, $n" "$status, $(sed -n 's/^Made: \([0-9]*\) .* Wrong: 0\.$/\1/p' "$tmp/out" | tr '\n' ' ' |
		sed 's/ $//')"
	[ $status = 0 ] || cat "$tmp/err"
}

torture "both laws and the kernel's bytes, with each size of ring" 6 --runs 6
check_eq "by every size of ring" 6 "$(grep -cE '^\| [0-9]+[KM] \| 1 \|' "$tmp/out")"
check_that "and calls were lost one by one" awk -F '|' '/^[|] all/ { exit !($5 > 1000) }' "$tmp/out"
torture "what was made counts" 7 --runs 7
torture "and so do kills" "7 3" --runs 7 --kills 3
torture "as many as there is time for" "7 3" --kills 100 --seconds 0.001
