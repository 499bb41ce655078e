# decode_memory.sh - what a reader keeps does not grow with its input: tests/torture/flow.py, up to 100 MB

. tests/lib/check.sh
need_program iotap-decode tests/bench/synth
need_tool python3
[ -z "${SAN:-}" ] || skip_all "sanitizers take memory of their own"
tmpdir

status=0
tests/torture/run --flow 0.1 --results "$tmp/flow.json" >"$tmp/out" 2>&1 || status=$?
check_eq "1 and 100 MB by a pipe: within 64 MiB and 256 bytes for each descriptor and process" 0 $status
# A bound that everything keeps says nothing: the largest comes near it, with 65,217 descriptors of an epoch.
check_eq "inputs" 6 "$(grep -c '^| [0-9].* MB |' "$tmp/out")"
check_eq "one of them with a full table" 65,217 "$(awk -F ' *[|] *' '/MB/ { print $3 }' "$tmp/out" | sort | uniq -d | grep 65)"
[ $status = 0 ] || cat "$tmp/out"
