"""Requests that two servers might read differently, each as the bytes of a whole connection.

After most comes an ordinary request, which must neither become part of a body nor be hidden by one.
KEY stands for the virtual key."""

import json

BODY = json.dumps(
    {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
).encode()
CHAT = "/v1/chat/completions"
# A path that passes unmetered, if the configuration opens it.
OPENED = "/v1/threads"
LAST = (
    b"GET /v1/threads HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\nConnection: close\r\n\r\n"
)
SIZED = f"Content-Length: {len(BODY)}".encode()
CHUNKED = b"Transfer-Encoding: chunked"


def request(*fields, target=CHAT, body=BODY, method="POST", version="HTTP/1.1", last=LAST):
    """A request with just these fields besides Host and the key, and the ordinary one after it."""
    first = f"{method} {target} {version}".encode("latin-1")
    head = [first, b"Host: a", b"Authorization: Bearer KEY", *fields, b"", b""]
    return b"\r\n".join(head) + body + last


def chunk(data, size=None, extension=b"", end=b"\r\n"):
    size = f"{len(data):x}".encode() if size is None else size
    return size + extension + b"\r\n" + data + end


def chunks(*parts, end=b"0\r\n\r\n"):
    return b"".join(parts) + end


WHOLE = chunks(chunk(BODY))
HALVES = chunks(chunk(BODY[:9]), chunk(BODY[9:]))
# A body that, read as empty, is a request.
HIDDEN = b"GET /v1/threads/hidden HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\n\r\n"


def chunked(body=WHOLE, *fields):
    return request(CHUNKED, *fields, body=body)


def encoded(field):
    """Instead of `Transfer-Encoding: chunked`, with a body in chunks."""
    return request(field, body=WHOLE)


def length(field):
    """Instead of a proper `Content-Length`."""
    return request(field)


def path(target):
    return request(SIZED, target=target)


def extra(field):
    return request(SIZED, field)


REQUESTS = {
    # Ordinary ones, to see that all three pass them.
    "plain": request(SIZED),
    "in chunks": chunked(),
    "in two chunks": chunked(HALVES),
    "three in a pipeline": request(SIZED, last=request(SIZED)),
    "chunks in a pipeline": chunked(WHOLE)[: -len(LAST)] + request(SIZED),
    "an empty line first": b"\r\n" + request(SIZED),
    "an empty line between": request(SIZED, last=b"\r\n" + LAST),
    "names in another case": request(SIZED.upper(), b"CONTENT-TYPE: application/json"),
    "HTTP/1.0": request(SIZED, version="HTTP/1.0"),
    "HTTP/1.0 that stays open": request(SIZED, b"Connection: keep-alive", version="HTTP/1.0"),
    "a query": path(f"{CHAT}?a=b&c=%2F"),
    "expects 100": request(SIZED, b"Expect: 100-continue"),
    "expects something else": request(SIZED, b"Expect: 200-ok"),
    "a body of a GET": request(SIZED, method="GET", target=OPENED),
    # Content-Length and Transfer-Encoding.
    "CL then TE": request(SIZED, CHUNKED, body=WHOLE),
    "TE then CL": request(CHUNKED, SIZED, body=WHOLE),
    "CL of the chunks and TE": request(
        f"Content-Length: {len(WHOLE)}".encode(), CHUNKED, body=WHOLE
    ),
    "CL 0 and TE": request(b"Content-Length: 0", CHUNKED, body=WHOLE),
    "CL.TE with a hidden request": request(
        f"Content-Length: {5 + len(HIDDEN)}".encode(), CHUNKED, body=b"0\r\n\r\n" + HIDDEN
    ),
    "TE.CL with a hidden request": request(
        b"Content-Length: 4", CHUNKED, body=chunks(chunk(HIDDEN))
    ),
    "two equal CLs": request(SIZED, SIZED),
    "two CLs, the longer last": request(b"Content-Length: 0", SIZED),
    "two CLs, the longer first": request(SIZED, b"Content-Length: 0"),
    "a list of CLs": length(SIZED + b", " + str(len(BODY)).encode()),
    "CL with a sign": length(b"Content-Length: +" + str(len(BODY)).encode()),
    "CL below zero": length(b"Content-Length: -1"),
    "CL in hex": length(f"Content-Length: {len(BODY):#x}".encode()),
    "CL with zeros": length(f"Content-Length: 000{len(BODY)}".encode()),
    "CL with a point": length(SIZED + b".0"),
    "CL with an underscore": length(b"Content-Length: 7_2"),
    "CL empty": length(b"Content-Length:"),
    "CL beyond 64 bits": length(b"Content-Length: 18446744073709551688"),
    "CL then a space and more": length(SIZED + b" 5"),
    "CL in quotes": length(f'Content-Length: "{len(BODY)}"'.encode()),
    "CL too short by one": request(f"Content-Length: {len(BODY) - 1}".encode()),
    "no framing with a body": request(),
    "CL with an underscore in its name": length(b"Content_Length: 5"),
    # Ways to write `chunked` that one server knows and another doesn't.
    "TE in capitals": encoded(b"Transfer-Encoding: CHUNKED"),
    "TE with a tab": encoded(b"Transfer-Encoding:\tchunked"),
    "TE with a vertical tab": encoded(b"Transfer-Encoding: \x0bchunked"),
    "TE with a form feed": encoded(b"Transfer-Encoding: \x0cchunked"),
    "TE with a NUL": encoded(b"Transfer-Encoding: chunked\x00"),
    "TE with space before the colon": encoded(b"Transfer-Encoding : chunked"),
    "TE with a tab before the colon": encoded(b"Transfer-Encoding\t: chunked"),
    "TE after a space": encoded(b" Transfer-Encoding: chunked"),
    "TE folded": encoded(b"Transfer-Encoding:\r\n chunked"),
    "TE in quotes": encoded(b'Transfer-Encoding: "chunked"'),
    "TE xchunked": encoded(b"Transfer-Encoding: xchunked"),
    "TE chunkedx": encoded(b"Transfer-Encoding: chunkedx"),
    "TE identity": request(SIZED, b"Transfer-Encoding: identity"),
    "TE identity, chunked": encoded(b"Transfer-Encoding: identity, chunked"),
    "TE chunked, identity": encoded(b"Transfer-Encoding: chunked, identity"),
    "TE gzip, chunked": encoded(b"Transfer-Encoding: gzip, chunked"),
    "TE chunked twice in a list": encoded(b"Transfer-Encoding: chunked, chunked"),
    "TE chunked twice": request(CHUNKED, CHUNKED, body=WHOLE),
    "TE chunked and an empty one": request(CHUNKED, b"Transfer-Encoding:", body=WHOLE),
    "TE with a parameter": encoded(b"Transfer-Encoding: chunked;q=1"),
    "TE with a comma": encoded(b"Transfer-Encoding: ,chunked"),
    "TE with a comma at its end": encoded(b"Transfer-Encoding: chunked,"),
    "TE empty": request(SIZED, b"Transfer-Encoding:"),
    "TE with an underscore": request(SIZED, b"Transfer_Encoding: chunked"),
    "TE of HTTP/1.0": request(CHUNKED, body=WHOLE, version="HTTP/1.0"),
    "TE and CL of HTTP/1.0": request(SIZED, CHUNKED, body=WHOLE, version="HTTP/1.0"),
    "TE by way of Connection": request(SIZED, b"Connection: content-length"),
    # Chunks.
    "size in capitals": chunked(chunks(chunk(BODY, b"%X" % len(BODY)))),
    "size with zeros": chunked(chunks(chunk(BODY, b"000%x" % len(BODY)))),
    "size with many zeros": chunked(chunks(chunk(BODY, b"0" * 40 + b"%x" % len(BODY)))),
    "size with 0x": chunked(chunks(chunk(BODY, b"0x%x" % len(BODY)))),
    "size with a sign": chunked(chunks(chunk(BODY, b"+%x" % len(BODY)))),
    "size below zero": chunked(chunks(chunk(BODY, b"-%x" % len(BODY)))),
    "size with a space": chunked(chunks(chunk(BODY, b"%x " % len(BODY)))),
    "size after a space": chunked(chunks(chunk(BODY, b" %x" % len(BODY)))),
    "size with a tab": chunked(chunks(chunk(BODY, b"%x\t" % len(BODY)))),
    "size empty": chunked(chunks(chunk(BODY, b""))),
    "size beyond 32 bits": chunked(chunks(chunk(BODY, b"1000000%02x" % len(BODY)))),
    "size beyond 64 bits": chunked(chunks(chunk(BODY, b"100000000000000%02x" % len(BODY)))),
    "size of all ones": chunked(chunks(chunk(BODY, b"ffffffffffffffff"))),
    "size of letters": chunked(chunks(chunk(BODY, b"xyz"))),
    "size with an underscore": chunked(chunks(chunk(BODY, b"4_8"))),
    "size too small": chunked(chunks(chunk(BODY, b"%x" % (len(BODY) - 1)))),
    "size too large": chunked(chunks(chunk(BODY, b"%x" % (len(BODY) + 1)))),
    "size then a line feed": chunked(b"%x\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n"),
    "size then a carriage return": chunked(b"%x\r" % len(BODY) + BODY + b"\r\n0\r\n\r\n"),
    "chunk then a line feed": chunked(chunks(chunk(BODY, end=b"\n"))),
    "chunk then nothing": chunked(chunks(chunk(BODY, end=b""))),
    "chunk then two letters": chunked(chunks(chunk(BODY, end=b"XX"))),
    "last chunk with line feeds": chunked(chunks(chunk(BODY), end=b"0\n\n")),
    "last chunk of many zeros": chunked(chunks(chunk(BODY), end=b"00000\r\n\r\n")),
    "an extension": chunked(chunks(chunk(BODY, extension=b";a=b"))),
    "an extension in quotes": chunked(chunks(chunk(BODY, extension=b';a="b;c"'))),
    "an extension with a line end in quotes": chunked(chunks(chunk(BODY, extension=b';a="\r\n"'))),
    "an extension with a line feed": chunked(chunks(chunk(BODY, extension=b";a\nb"))),
    "an extension with a NUL": chunked(chunks(chunk(BODY, extension=b";a\x00b"))),
    "an extension without a name": chunked(chunks(chunk(BODY, extension=b";"))),
    "an extension after a space": chunked(chunks(chunk(BODY, extension=b" ;a=b"))),
    "a long extension": chunked(chunks(chunk(BODY, extension=b";" + b"a" * 20_000))),
    "a trailer": chunked(chunks(chunk(BODY), end=b"0\r\nX-Sum: 1\r\n\r\n")),
    "a trailer of framing": chunked(chunks(chunk(BODY), end=b"0\r\nContent-Length: 9\r\n\r\n")),
    "a trailer with the key": chunked(
        chunks(chunk(BODY), end=b"0\r\nAuthorization: Bearer other\r\n\r\n")
    ),
    "a trailer without a colon": chunked(chunks(chunk(BODY), end=b"0\r\nwrong\r\n\r\n")),
    "a trailer with a line feed": chunked(chunks(chunk(BODY), end=b"0\r\nX: 1\n\r\n")),
    "a folded trailer": chunked(chunks(chunk(BODY), end=b"0\r\nX: 1\r\n 2\r\n\r\n")),
    # Lines and fields.
    "line feeds alone": request(SIZED).replace(b"\r\n", b"\n"),
    "a line feed after a field": request(SIZED + b"\nX: y"),
    "a line feed at the head's end": request(SIZED).replace(b"\r\n\r\n", b"\r\n\n", 1),
    "a carriage return alone": request(SIZED + b"\rX: y"),
    "two carriage returns": request(SIZED + b"\r"),
    "a folded field": extra(b"X: y\r\n z"),
    "a folded first field": request(SIZED).replace(b"Host", b" X: y\r\nHost", 1),
    "a field without a colon": extra(b"nothing"),
    "a field without a name": extra(b": nothing"),
    "a name with a space": extra(b"X Y: z"),
    "a name with a NUL": extra(b"X\x00: z"),
    "a name with a high byte": extra(b"X\xe9: z"),
    "a name with brackets": extra(b"X(y): z"),
    "a value with a NUL": extra(b"X: a\x00b"),
    "a value with an escape": extra(b"X: a\x1bb"),
    "a value with a high byte": extra(b"X: \xe9"),
    "a value with DEL": extra(b"X: a\x7fb"),
    "an empty value": extra(b"X:"),
    "a field in the value of another": extra(b"X: a%0d%0aContent-Length: 0"),
    "an oversized field": extra(b"X: " + b"y" * 100_000),
    "very many fields": extra(b"\r\n".join(b"X: y" for _ in range(5000))),
    "Connection names a field": request(SIZED, b"Connection: x-hop", b"X-Hop: 1"),
    "Connection names the key": request(SIZED, b"Connection: authorization"),
    "Connection close": request(SIZED, b"Connection: close"),
    "an upgrade": request(SIZED, b"Connection: upgrade", b"Upgrade: h2c"),
    "two hosts": extra(b"Host: b"),
    "no host": request(SIZED).replace(b"Host: a\r\n", b"", 1),
    "a host with a path": request(SIZED).replace(b"Host: a", b"Host: a/b", 1),
    "a host with a user": request(SIZED).replace(b"Host: a", b"Host: u@a", 1),
    "an empty host": request(SIZED).replace(b"Host: a", b"Host:", 1),
    # Request lines.
    "no version": request(SIZED, version="").replace(b" \r\n", b"\r\n", 1),
    "version 1.2": request(SIZED, version="HTTP/1.2"),
    "version 2.0": request(SIZED, version="HTTP/2.0"),
    "version 0.9": request(SIZED, version="HTTP/0.9"),
    "version 1.10": request(SIZED, version="HTTP/1.10"),
    "version in small letters": request(SIZED, version="http/1.1"),
    "version with a space": request(SIZED, version="HTTP/1.1 "),
    "two spaces before the target": path(" " + CHAT),
    "two spaces before the version": path(CHAT + " "),
    "a tab in the line": request(SIZED).replace(b"POST ", b"POST\t", 1),
    "a space in the target": path(CHAT + " x"),
    "a method in small letters": request(SIZED, method="post"),
    "a method of its own": request(SIZED, method="FOO"),
    "a method with a bracket": request(SIZED, method="PO(ST"),
    "CONNECT": request(target="a:443", method="CONNECT", body=b""),
    "TRACE": request(method="TRACE", body=b""),
    "OPTIONS *": request(target="*", method="OPTIONS", body=b""),
    "POST *": path("*"),
    "a space first": b" " + request(SIZED),
    # Targets.
    "a whole URL": path("http://a" + CHAT),
    "a whole URL of another host": path("http://elsewhere" + CHAT),
    "a whole URL without a path": path("http://a"),
    "a whole URL with a user": path("http://u:p@a" + CHAT),
    "a URL of files": path("file:///etc/passwd"),
    "no slash first": path(CHAT[1:]),
    "two slashes": path("/" + CHAT),
    "two slashes within": path("/v1//chat/completions"),
    "a dot": path("/v1/./chat/completions"),
    "two dots": path("/v1/../v1/chat/completions"),
    "two dots above": path("/../../v1/chat/completions"),
    "dots at the end": path(CHAT + "/.."),
    "dots from a free path": path("/v1/models/../chat/completions"),
    "escaped dots": path("/v1/%2e%2e/v1/chat/completions"),
    "an escaped slash": path("/v1%2fchat/completions"),
    "an escaped letter": path("/v1/chat/c%6fmpletions"),
    "an escaped NUL": path(CHAT + "%00"),
    "an escaped line end": path(CHAT + "%0d%0aX:%20y"),
    "a broken escape": path(CHAT + "%zz"),
    "twice escaped": path("/v1/%252e%252e/chat/completions"),
    "a backslash": path("/v1\\chat\\completions"),
    "a semicolon": path(CHAT + ";a=b"),
    "a fragment": path(CHAT + "#a"),
    "a slash at the end": path(CHAT + "/"),
    "a NUL in the target": path(CHAT + "\x00"),
    "a high byte in the target": path(CHAT + "\xe9"),
    "a carriage return in the target": path(CHAT + "\rX: y"),
    "a quote in the query": path(CHAT + '?a="b"'),
    "an oversized target": path(CHAT + "?" + "a" * 100_000),
    "an empty query": path(CHAT + "?"),
    "capitals": path(CHAT.upper()),
}
