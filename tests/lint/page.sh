# page.sh - the page's policy names the digests of the style and the script that it brings

. tests/lib/check.sh
need_tool python3

digest() {
	python3 -c 'import base64, hashlib, sys
print(base64.b64encode(hashlib.sha256(open(sys.argv[1], "rb").read()).digest()).decode())' "$1"
}

stated() {
	sed -n "s/^#define $1 \"\(.*\)\"\$/\1/p" report/page_texts.h
}

check_eq "page.css: PAGE_STYLE_DIGEST in report/page_texts.h" "$(digest report/page.css)" "$(stated PAGE_STYLE_DIGEST)"
check_eq "page.js: PAGE_SCRIPT_DIGEST in report/page_texts.h" "$(digest report/page.js)" "$(stated PAGE_SCRIPT_DIGEST)"
check_eq "no character that ends a style or a script early" "" "$(grep -nE '</|<!--' report/page.css report/page.js)"
