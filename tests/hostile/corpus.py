"""corpus.py - names that somebody hostile would choose: each is bytes without NUL, at most 4,095 long

Used by names.py (synthetic recordings) and names_live.sh (files, processes, sockets of these names).
"""

BASE = [b"plain", b"with space", b"  leading", b"trailing  "]

LINES = [
    b"a\nb", b"a\r\nb", b"\n", b"\r", b"a\vb", b"a\fb", b"x\n" * 20,
    b"x\n12:00:00.000000      1  read              1           1           1    0.000 ms  /etc/shadow",
    b'x\n{"type":"event","time_ns":1,"pid":1,"op":"read","dir":"read","fd":1,"bytes":99}',
    b'","path_hex":"00"},"x":{"y":"', b'"}\n{"type":"end"}', b"\niotap: warning: nothing was lost",
    b"\n-- status 0", b"\nblock end\nend time_ns=1", b"a\xe2\x80\xa8b", b"a\xe2\x80\xa9b", b"a\xc2\x85b",
    b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\nTotals\n  files    read 0 B (0 calls)",
]

TERMINAL = [
    b"\x1b[2J", b"\x1b[1A\x1b[2K", b"\x1b]0;title\x07", b"\x1b]52;c;ZWNobyBoaQ==\x07", b"\x1b]8;;http://e/\x1b\\x\x1b]8;;\x1b\\",
    b"\x1bP$q\x1b\\", b"\x1b_x\x1b\\", b"\x1bc", b"\x1b(0", b"\x1b[?1049h", b"\x1b[6n", b"\x9b2J", b"\x9d0;t\x9c",
    b"\xc2\x9b2J", b"\xc2\x9d0;t\xc2\x9c", b"\xc2\x90x\xc2\x9c", b"a\x08\x08\x08b", b"\x07", b"\x0e", b"\x0f", b"\x7f",
    b"\x1b[31mred\x1b[0m", b"\x1b[8mhidden", b"\x1b[3J", b"\x05", b"\x1b[20~", b"\x1b[c", b"a\rb",
]

BIDI = [("x" + c + "fdp.exe").encode() for c in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]

UNICODE = [("u" + c).encode() for c in (
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u180e", "\u3164", "\uffa0", "\ufff9", "\ufffc",
    "\ufffd", "\uffff", "\ufffe", "\ufdd0", "\U0010ffff", "\U000e0041", "\U0001f600", "e\u0301", "\u0301" * 40,
    "\u00e4", "\u6587\u4ef6", "\u0645\u0644\u0641", "\u05e7\u05d5\u05d1\u05e5", "\uff0f", "\u2215", "\u2028", "\u2029", "\u0430dmin")]

BROKEN = [
    b"\xff", b"\xfe", b"\xff\xfe", b"\xfe\xff", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x88\x80\x80\x80",
    b"\xfc\x84\x80\x80\x80\x80", b"\xc1\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xc2", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xbf", b"a\xc2b", b"a\xe2\x82b", b"\xc0\x9b2J",
    b"\xe0\x82\x9b", b"\xc0\x8a", b"\xc0\x80", b"\xe2\x80", b"\xae", b"\xef\xbf\xbd\xff", b"l\xe4rm", b"\xa4\xb3\xc6\xfc",
    b"\x83t\x83@\x83C\x83\x8b", b"pair\xff", b"pair\xfe", b"pair\xef\xbf\xbd", b"\xf0\x9f\x98\x80\x80", b"\xe2\x28\xa1",
]

MARKUP = [
    b"<script>alert(1)</script>", b"</script><script>alert(1)</script>", b"<img src=x onerror=alert(1)>", b"<!--", b"-->", b"]]>",
    b"&lt;&#60;&amp;", b"'\"><svg onload=alert(1)>", b"javascript:alert(1)", b"{{7*7}}", b"${7*7}", b"<%= 7 %>", b"`id`", b"$(id)",
    b";id", b"|id", b"&&id", b">x", b"<x", b"*", b"?", b"[a]", b"~", b"!x", b"#x", b"a#b", b"%00", b"%s%s%s%n", b"%x%p", b"\\", b"\\\\",
    b"\\n", b"\\x1b[2J", b"\\u001b", b"\\", b'"', b"'", b'""', b"''", b"\\\"", b"a,b", b"a;b", b"a\tb", b"a|b", b"=1+1",
    b"+1", b"-1", b"@SUM(1)", b"=cmd|'/C calc'!A0", b"\t=1", b"\r=1", b"--", b"-o", b"--help", b"-", b"--output=x", b"NULL", b"null",
    b"\\N", b"true", b"0", b"-0", b"1e999", b"NaN", b"x'41'", b"X'41ff'", b"'); DROP TABLE process; --", b"' OR 1=1 --", b"\"; --",
    b"[x]", b"{}", b"{\"a\":1}", b"\\u0000", b"\\x00", b"a=b", b"text=\"", b"block header", b"# comment",
]

KERNEL = [
    b"x (deleted)", b"/x (deleted)", b" (deleted)", b"x (deleted) (deleted)", b"socket:[1]", b"pipe:[1]", b"anon_inode:[eventpoll]", b"a -> b",
    b" -> ", b"tcp 1.2.3.4:5 -> 6.7.8.9:80", b"/memfd:x", b"<pipe>", b"<unknown>", b"<file 8:1 inode 7>", b"<further targets>", b"(unreachable)/x",
    b"//deleted", b"\xe2\x80\xa6/deep", b"\xe2\x80\xa6", b"...", b"/..", b"/../../etc/passwd", b"..\\..\\x", b"/.", b"//", b"/", b"C:\\CON", b"unix @x",
    b"@abstract", b"<epoll>", b"<stdin>", b"[heap]", b"net:[4026531840]", b"other", b"none", b"?", b"socket", b"unix",
]

LONG = [
    b"L" * 255, b"\x1b" * 255, b"\xff" * 255, b"\xe2\x80\xae" * 85, b"\xc2\x9b" * 127, b"\n" * 255, b"\"" * 255, b"\\" * 255, b"\xf0\x9f\x98\x80" * 63,
    b"/" + b"/".join([b"d" * 255] * 15) + b"/" + b"e" * 254, b"/" + b"/".join([b"\xff" * 255] * 15) + b"/" + b"e" * 254,
    b"/" + b"/".join([b"\x1b" * 255] * 15) + b"/" + b"\n" * 254, b"/" + b"\xe2\x80\xa8" * 1364 + b"ab",
    b"/" + b"x" * 4093 + b"\xff", b"/" + b"x" * 4092 + b"\xe2\x80",
]

BYTES = [b"b" + bytes([c]) + b"e" for c in range(1, 256)] + [bytes([c]) for c in range(1, 256)]


def corpus():
    """All of them, each once, in a fixed order."""
    seen, out = set(), []
    for name in BASE + LINES + TERMINAL + BIDI + UNICODE + BROKEN + MARKUP + KERNEL + LONG + BYTES:
        assert b"\0" not in name and 0 < len(name) <= 4095
        if name not in seen:
            seen.add(name)
            out.append(name)
    return out


def control(code_point):
    """What must not reach a terminal."""
    return (code_point < 0x20 or 0x7f <= code_point <= 0x9f or code_point in (0x061c, 0x200e, 0x200f, 0x2028, 0x2029)
            or 0x202a <= code_point <= 0x202e or 0x2066 <= code_point <= 0x2069)


def unclean(data, allowed=b"\n"):
    """What is wrong with bytes on their way to a terminal, or ''."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        return "no UTF-8 at byte %d: %r" % (e.start, data[max(0, e.start - 20):e.start + 20])
    for i, c in enumerate(text):
        if control(ord(c)) and c not in allowed.decode():
            return "U+%04X at %d: %r" % (ord(c), i, text[max(0, i - 30):i + 30])
    return ""
