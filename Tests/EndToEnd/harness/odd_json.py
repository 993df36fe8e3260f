"""Request bodies that two readers of JSON might understand differently.

In those that are to be refused, `max_tokens` and the like stand for all that metering reads."""

import json
import random

CHEAP, DEAR = "gpt-4o-mini", "gpt-4o"
MESSAGES = '"messages":[{"role":"user","content":"Hello"}]'
PLAIN = '{"model":"gpt-4o-mini",' + MESSAGES + "}"


def with_members(members):
    return PLAIN[:-1] + "," + members + "}"


def with_messages(messages):
    return '{"model":"gpt-4o-mini","messages":' + messages + "}"


def part(members):
    return with_messages('[{"role":"user","content":[{' + members + "}]}]")


def nested(depth):
    return with_members('"x":' + "[" * depth + "]" * depth)


STREAM = '"stream":true,"stream_options":{"include_usage":true}'
IMAGE = '"url":"data:,","detail":"low"'
SOUND = '"data":"","format":"wav"'

# As texts, sent in UTF-8; as bytes, sent as they are.
ACCEPTED = {
    "plain": PLAIN,
    "escaped key": PLAIN.replace("model", "mod\\u0065l"),
    "escaped value": PLAIN.replace("gpt-4o-mini", "gpt-4o\\u002dmini"),
    "escaped slash": with_members('"user":"a\\/b"'),
    "white space of all kinds": " \t\r\n" + PLAIN.replace(":", "\n:\t").replace(",", " ,\r") + "\n",
    "a pair of surrogates": with_members('"user":"\\ud83d\\ude00"'),
    "four bytes of UTF-8": with_members('"user":"\U0001f600"'),
    "a name that is decomposed": with_members('"user":"e\u0301"'),
    "a byte order mark within a text": with_members('"user":"\ufeffa"'),
    "an escaped NUL in a text that is only read by the model": PLAIN.replace("Hello", "a\\u0000b"),
    "a line separator": with_members('"user":"a\u2028b"'),
    "DEL": PLAIN.replace("Hello", "a\x7fb"),
    "a noncharacter": with_members('"user":"\uffff"'),
    "a stream": with_members(STREAM),
    "no stream": with_members('"stream":false'),
    "null for everything": with_members('"stream":null,"max_tokens":null,"n":null,"user":null'),
    "limits": with_members('"max_tokens":7,"max_completion_tokens":9,"n":3'),
    "the largest limit": with_members('"max_tokens":16384'),
    "numbers of all forms that aren't metered": with_members(
        '"temperature":1.0,"top_p":1e-1,"seed":-0,"frequency_penalty":-0.0,"presence_penalty":1E0'
    ),
    "an integer beyond 53 bits": with_members('"seed":9007199254740993'),
    "the largest integer": with_members('"seed":9223372036854775807'),
    "the least integer": with_members('"seed":-9223372036854775808'),
    "an empty key": with_members('"":1'),
    "keys alike in a schema": with_members('"x":{"Model":"gpt-4o","model":"gpt-4o"}'),
    "a key repeated where nobody looks": with_members('"x":{"a":1,"a":2}'),
    "capitals in a name that isn't metered": with_members('"Temperature":1'),
    "deep nesting": nested(200),
    "a model within a message": with_messages('[{"role":"user","content":"\\",\\"model\\":\\"x"}]'),
    "a user in the metadata": with_members('"metadata":{"conversation_id":"c1","user":"x"}'),
}

REFUSED = {
    # Keys.
    "a repeated model": with_members(f'"model":"{DEAR}"'),
    "a repeated model, the same": with_members(f'"model":"{CHEAP}"'),
    "a repeated model, escaped": with_members(f'"mod\\u0065l":"{DEAR}"'),
    "a repeated model, all of it escaped": with_members(
        f'"\\u006d\\u006f\\u0064\\u0065\\u006c":"{DEAR}"'
    ),
    "a repeated model, null": with_members('"model":null'),
    "a model in capitals": with_members(f'"MODEL":"{DEAR}"'),
    "a model with one capital": with_members(f'"Model":"{DEAR}"'),
    "a stream with a long s": with_members('"\u017ftream":true'),
    "a limit with a Kelvin sign": with_members('"max_to\u212aens":1'),
    "a limit in capitals": with_members('"Max_Tokens":1000'),
    "a model up to a NUL": with_members(f'"model\\u0000":"{DEAR}"'),
    "a model up to a NUL and more": with_members(f'"model\\u0000x":"{DEAR}"'),
    "a repeated stream": with_members('"stream":false,"stream":true'),
    "repeated limits": with_members('"max_tokens":1,"max_tokens":16384'),
    "repeated choices": with_members('"n":1,"n":128'),
    "repeated messages": with_members(MESSAGES),
    "a repeated key that isn't metered": with_members('"seed":1,"seed":2'),
    "a repeated empty key": with_members('"":1,"":2'),
    "one repeated among many": with_members(
        ",".join(f'"k{index}":1' for index in range(200)) + ',"k\\u0037":1'
    ),
    "a repeated option": with_members(
        '"stream":true,"stream_options":{"include_usage":true,"include_usage":false}'
    ),
    "a repeated conversation": with_members(
        '"metadata":{"conversation_id":"a","conversation_id":"b"}'
    ),
    "a repeated role": with_messages('[{"role":"user","role":"system","content":"a"}]'),
    "a repeated content": with_messages('[{"role":"user","content":"a","content":"b"}]'),
    "a repeated content, escaped": with_messages(
        '[{"role":"user","content":"a","conten\\u0074":[]}]'
    ),
    "a repeated type of a part": part('"type":"text","type":"file","text":"a"'),
    "a repeated text of a part": part('"type":"text","text":"a","text":"b"'),
    "a repeated detail": part(f'"type":"image_url","image_url":{{{IMAGE},"detail":"high"}}'),
    "a repeated format": part(f'"type":"input_audio","input_audio":{{{SOUND},"format":"mp3"}}'),
    "a repeated type of a tool": with_members(
        '"tools":[{"type":"function","type":"web_search","function":{"name":"f"}}]'
    ),
    # Numbers.
    "a limit with a point": with_members('"max_tokens":10.0'),
    "a limit with an exponent": with_members('"max_tokens":1e3'),
    "a limit beyond 64 bits": with_members('"max_tokens":18446744073709551617'),
    "a limit of 100 digits": with_members('"max_tokens":' + "9" * 100),
    "a limit beyond doubles": with_members('"max_tokens":1e400'),
    "a limit of minus nothing": with_members('"max_tokens":-0'),
    "a limit below zero": with_members('"max_tokens":-5'),
    "a limit as a text": with_members('"max_tokens":"5"'),
    "a limit that is true": with_members('"max_tokens":true'),
    "half a choice": with_members('"n":1.5'),
    "a number beyond doubles": with_members('"seed":1e400'),
    "an integer of 100 digits": with_members('"seed":' + "9" * 100),
    "zeros first": with_members('"max_tokens":007'),
    "a sign": with_members('"max_tokens":+7'),
    "hex": with_members('"max_tokens":0x7'),
    "no digit before the point": with_members('"temperature":.5'),
    "no digit after the point": with_members('"temperature":5.'),
    "an underscore": with_members('"max_tokens":1_000'),
    "not a number": with_members('"temperature":NaN'),
    "infinity": with_members('"temperature":Infinity'),
    "infinity below": with_members('"temperature":-Infinity'),
    # Texts that only some parsers take.
    "a comma at the end": PLAIN[:-1] + ",}",
    "two commas": PLAIN.replace(",", ",,", 1),
    "a comma first": "{," + PLAIN[1:],
    "a comma at an array's end": PLAIN.replace("]", ",]"),
    "a comment to the line's end": PLAIN[:-1] + "//\n}",
    "a comment": PLAIN[:-1] + f'/*,"model":"{DEAR}"*/' + "}",
    "a comment with a number sign": PLAIN[:-1] + "#\n}",
    "single quotes": PLAIN.replace('"', "'"),
    "a key without quotes": PLAIN.replace('"model"', "model"),
    "capital words": with_members('"stream":True'),
    "undefined": with_members('"stream":undefined'),
    "a second object": PLAIN + PLAIN,
    "a second object on a line": PLAIN + "\n" + PLAIN,
    "a record separator": "\x1e" + PLAIN,
    "letters after the end": PLAIN + "x",
    "a NUL after the end": PLAIN + "\0",
    "a NUL and another object": PLAIN + "\0" + PLAIN.replace(CHEAP, DEAR),
    "a NUL before": "\0" + PLAIN,
    "a NUL between": PLAIN.replace(",", ",\0", 1),
    "a form feed as white space": PLAIN.replace(",", ",\f", 1),
    "a space of no width as white space": PLAIN.replace(",", ",\u200b", 1),
    "DEL in a name that is stored": with_members('"user":"a\x7fb"'),
    "a line end in a text": with_members('"user":"a\nb"'),
    "a tab in a text": with_members('"user":"a\tb"'),
    "a NUL in a text": with_members('"user":"a\0b"'),
    "an unknown escape": with_members('"user":"\\x41"'),
    "a short escape": with_members('"user":"\\u41"'),
    "an escaped quotation mark that isn't": with_members('"user":"\\'),
    "an array around it": f"[{PLAIN}]",
    "a text around it": json.dumps(PLAIN),
    "padding of a browser": ")]}',\n" + PLAIN,
    "a call around it": f"callback({PLAIN})",
    "no end": PLAIN[:-1],
    "nesting without an end": with_members('"x":' + "[" * 100_000),
    "deeper nesting than is read": nested(600),
    # Encodings.
    "a byte order mark": "\ufeff" + PLAIN,
    "half a pair of surrogates": with_members('"user":"\\ud83d"'),
    "the other half": with_members('"user":"\\ude00"'),
    "halves in the wrong order": with_members('"user":"\\ude00\\ud83d"'),
    "half a pair in a key": with_members('"\\ud83d":1'),
    "a surrogate as UTF-8": with_members('"user":"?"').encode().replace(b"?", b"\xed\xa0\xbd"),
    "a byte that is no UTF-8": with_members('"user":"?"').encode().replace(b"?", b"\xff"),
    "a letter in too many bytes": PLAIN.encode().replace(b"gpt", b"\xc1\xa7pt"),
    "a NUL in two bytes": with_members('"user":"?"').encode().replace(b"?", b"\xc0\x80"),
    "beyond Unicode": with_members('"user":"?"').encode().replace(b"?", b"\xf4\x90\x80\x80"),
    "cut within a letter": with_members('"user":"?"').encode().replace(b"?", b"\xe2\x82"),
    "Latin-1": with_members('"user":"\xe9"').encode("latin-1"),
    "UTF-16": PLAIN.encode("utf-16"),
    "UTF-16, little end first": PLAIN.encode("utf-16-le"),
    "UTF-16, big end first": PLAIN.encode("utf-16-be"),
    "UTF-32": PLAIN.encode("utf-32"),
    "UTF-7": PLAIN.replace('"', "+ACI-"),
}


def as_bytes(body):
    return body if isinstance(body, bytes) else body.encode()


SNIPPETS = [
    *[snippet.encode() for snippet in ('"', "\\", "{", "}", "[", "]", ",", ":", " ", "\0", "\n")],
    *[b'"model":"gpt-4o",', b'"mod\\u0065l":"gpt-4o",', b'"stream":true,', b'"n":2,'],
    *[b"\\u0000", b"\\ud800", b"\\udc00", b"\\u0065", b"\xef\xbb\xbf", b"\xff", b"\xc0\x80"],
    *[b"1e400", b"-0", b"1.0", b"9" * 30, b"NaN", b"null", b"true", b"//", b"/**/", b"'", b"+"],
]


def mutations(seed, count):
    """Bodies that are nearly JSON: known ones, changed in one to three places."""
    choices = random.Random(seed)
    bases = [as_bytes(body) for body in ACCEPTED.values()]
    bases = [base for base in bases if len(base) < 1000]
    for _ in range(count):
        body = bytearray(choices.choice(bases))
        for _ in range(choices.randint(1, 3)):
            start = choices.randrange(len(body))
            end = min(len(body), start + choices.randint(1, 12))
            change = choices.randrange(8)
            if change == 0:
                body[start:start] = choices.choice(SNIPPETS)
            elif change == 1:
                body[start:start] = body[start:end]
            elif change == 2:
                del body[start:end]
            elif change == 3:
                body[start:end] = choices.choice(SNIPPETS)
            elif chr(body[start]).isalnum():
                body[start : start + 1] = b"\\u%04x" % body[start]
            else:
                body[start] ^= 1 << choices.randrange(8)
        yield bytes(body)
