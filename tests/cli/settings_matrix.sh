# settings_matrix.sh - locale, time zone, width and colours of the environment: JSON is the same bytes, text differs only in time
#
# A text has local times, so the zone is one of it; nothing else of the environment shows.

. tests/lib/check.sh
need_program iotap-decode iotap-analyze iotap-report tests/golden/assemble
tmpdir
"$B/tests/golden/assemble" <tests/golden/rec/names.rec >"$tmp/r.iotap"

# said SETTING... -- COMMAND...: its bytes and its status.
said() {
	local settings=
	while [ "$1" != -- ]; do
		settings="$settings $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words of VARIABLE=value
	env -i PATH="$PATH" $settings "$@" 2>&1
	echo "status $?"
}

# matrix NAME ZONE COMMAND...: the same under all settings; ZONE yes = under those of the zone too.
matrix() {
	local name=$1 zone=$2 setting
	shift 2
	said -- "$@" >"$tmp/first"
	for setting in LC_ALL=C LC_ALL=C.UTF-8 LC_ALL=de_DE.ISO-8859-1 LANG=nonsense LC_ALL=tr_TR.UTF-8 LANGUAGE=de \
		NO_COLOR=1 CLICOLOR_FORCE=1 TERM=dumb TERM=xterm-256color COLUMNS=1 "COLUMNS=1 LINES=1" COLUMNS=-1 \
		COLUMNS=99999999999999999999 POSIXLY_CORRECT=1 $([ "$zone" = yes ] && echo TZ=Pacific/Kiritimati TZ=:nowhere TZ=AAA-24:59:59); do
		said $setting -- "$@" >"$tmp/now"
		cmp -s "$tmp/first" "$tmp/now" || echo "$setting: $(cmp "$tmp/first" "$tmp/now" 2>&1)"
	done >"$tmp/differences"
	check_eq "$name: the same bytes" "" "$(cat "$tmp/differences")"
}

for format in json events; do
	matrix "decode -F $format" yes "$B/iotap-decode" -F $format "$tmp/r.iotap"
done
matrix "decode" no "$B/iotap-decode" "$tmp/r.iotap"
matrix "decode --dump" yes "$B/iotap-decode" --dump "$tmp/r.iotap"
matrix "decode --check" yes "$B/iotap-decode" --check "$tmp/r.iotap"
matrix "analyze sql -F json" yes "$B/iotap-analyze" sql -F json "$tmp/r.iotap" "SELECT * FROM event"
matrix "analyze sql -F csv" yes "$B/iotap-analyze" sql -F csv "$tmp/r.iotap" "SELECT * FROM process"
