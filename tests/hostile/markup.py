"""markup.py - what a page of iotap-report may consist of, whatever names are in it

markup(page) gives None, or what is wrong with the bytes of a page: anything but the tags and attributes
that report/page*.c write, a script or style that is not the one its policy names, another comment.
tables(page) gives what its tables say.
"""
import base64
import hashlib
from html.parser import HTMLParser

TAGS = set("html meta title style script header h1 h2 p span b div main section figure figcaption svg g rect line title ul li "
           "table thead tbody tr th td details summary footer code".split())
ATTRIBUTES = set("lang charset http-equiv content name class data-v x y x1 x2 y1 y2 width height viewbox preserveaspectratio role".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problem, self.inside, self.texts, self.policy = None, None, {"script": [], "style": []}, ""
        self.title, self.tables = "", []		# (title, heads, rows of (text, number))

    def wrong(self, what):
        self.problem = self.problem or what

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            self.wrong("tag %s" % ascii(tag))
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.wrong("attribute %s of %s" % (ascii(name), tag))
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag in self.texts:
            self.texts[tag].append("")
        if tag in ("details", "summary"):
            return		# still in its cell
        self.inside = tag
        if tag == "h2":
            self.title = ""
        elif tag == "table":
            self.tables.append((self.title.split(" (")[0], [], []))
        elif tag == "th":
            self.tables[-1][1].append("")
        elif tag == "tr" and self.tables and self.tables[-1][1]:
            self.tables[-1][2].append([])
        elif tag == "td":
            self.tables[-1][2][-1].append(["", attributes.get("data-v")])

    def handle_endtag(self, tag):
        if tag not in ("details", "summary"):
            self.inside = None

    def handle_data(self, data):
        if self.inside in self.texts:
            self.texts[self.inside][-1] += data
        elif self.inside == "h2":
            self.title += data
        elif self.inside == "th":
            self.tables[-1][1][-1] += data
        elif self.inside == "td":
            self.tables[-1][2][-1][-1][0] += data

    def handle_comment(self, data):
        if data != " a page of iotap-report ":
            self.wrong("comment %s" % ascii(data))

    def handle_pi(self, data):
        self.wrong("instruction %s" % ascii(data))

    unknown_decl = handle_pi


def parse(page):
    reader = Page()
    reader.feed(page.decode("utf-8"))
    reader.close()
    return reader


def markup(page):
    reader = parse(page)
    if not page.startswith(b"<!doctype html>\n"):
        return "begins with %s" % ascii(page[:40])
    if not reader.policy.startswith("default-src 'none'; "):
        return "policy %s" % ascii(reader.policy)
    for kind, texts in reader.texts.items():
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        if len(digests) != 1 or "%s-src 'sha256-%s'" % (kind, digests[0]) not in reader.policy:
            return "%d of %s, their digests %s are not in the policy" % (len(texts), kind, digests)
    return reader.problem


def tables(page):
    """Title of a table: its rows, each a list of (text, number or None)."""
    return {title: [[(text.rstrip("\n"), v and int(v)) for text, v in row] for row in rows]
            for title, _, rows in parse(page).tables}
