# bpf_stack.sh - no chain of functions of the kernel half takes more stack than kernels before 6.13 give it
#
# 512 bytes and 8 functions. The newest kernels are generous; the guests of the older ones run in few tests.

. tests/lib/check.sh
need_tool python3 clang llvm-objdump
tmpdir

# The reader of objects knows what is deep: a buffer, a function that is called, a callback.
cat >"$tmp/deep.c" <<'C'
static long (*const bpf_loop)(unsigned int, void *, void *, unsigned long) = (void *)181;
static void (*const use)(void *) = (void *)1;
static long
step(unsigned int i, void *arg)
{
	char room[100];
	use(room);
	return 0;
}
static __attribute__((noinline)) int
called(void *arg)
{
	char room[200];
	use(room);
	return bpf_loop(3, (void *)step, arg, 0);
}
__attribute__((section("tp_btf/program"))) int
program(void *arg)
{
	char room[40];
	use(room);
	return called(arg) + called(room);
}
C
clang -O2 -target bpf -c -o "$tmp/deep.o" "$tmp/deep.c" 2>"$tmp/err" || not_ok "the example is compiled" "$(cat "$tmp/err")"
check_eq "an example of three functions" "416 3 program:64 called:224 step:128" \
	"$(python3 tests/lint/bpf_stack.py "$tmp/deep.o")"

n=0
for object in "$B"/bpf/*.bpf.o; do
	[ -e "$object" ] || continue
	n=$((n + 1))
	python3 tests/lint/bpf_stack.py "$object" >"$tmp/chains" 2>&1 || not_ok "${object##*/} is read" "$(cat "$tmp/chains")"
	check_eq "${object##*/}: chains deeper than 512 bytes or 8 functions, of $(wc -l <"$tmp/chains") programs" "" \
		"$(awk '$1 > 512 || $2 > 8' "$tmp/chains")"
	check_match "${object##*/}: all its programs are there, the deepest of them known" '^[2-5][0-9][0-9] [3-8] iotap_' \
		"$(head -n 1 "$tmp/chains")"
done
[ "$n" -gt 0 ] || skip "the kernel half" "there is none in $B"
