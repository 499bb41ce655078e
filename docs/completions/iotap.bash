# bash completion of iotap and its programs
#
# Options are read from the program's own --help, so this file knows no list of them; it adds the
# values that words of a fixed set, process names, users and files can take.

_iotap_options() {
	"$1" ${2:+"$2"} --help 2>/dev/null |
		grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z-]*' | grep -oE -e '--[a-z-]+|-[A-Za-z]\b'
}

_iotap_formats() {
	case ${1##*/} in
	iotap-analyze) echo table json csv tsv ;;
	*) echo text json csv tsv events ;;
	esac
}

_iotap_processes() {
	ps -eo comm= 2>/dev/null | sort -u
	ps -eo pid= 2>/dev/null
}

_iotap() {
	local program=$1 word=$2 before=$3 words=
	COMPREPLY=()

	# After "--" in iotap and iotap-capture comes a command.
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			fi
			return
		fi
	done

	case $before in
	-F | --format) words=$(_iotap_formats "$program") ;;
	--user | --uid) mapfile -t COMPREPLY < <(compgen -u -- "$word") && return ;;
	-p | --pid | --name | --exclude) words=$(_iotap_processes) ;;
	--record | --replay | --output | --html | -o) ;;
	*)
		case $word in
		-*) words=$(_iotap_options "$program") ;;
		*)
			case ${program##*/} in
			iotap | iotap-capture) words=$(_iotap_processes) ;;
			iotap-analyze)
				if [ "$COMP_CWORD" = 1 ]; then
					words="load list report sql events diff"
				elif [ "$before" = report ]; then
					words=$("$program" list -F tsv 2>/dev/null | tail -n +2 | cut -f 1)
				fi
				;;
			esac
			;;
		esac
		;;
	esac
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -F _iotap iotap iotap-capture iotap-decode iotap-analyze iotap-report
