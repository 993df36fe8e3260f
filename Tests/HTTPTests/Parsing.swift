import HTTP

/// The result of one connection's bytes: its heads, then the first error if there is one.
struct Outcome: Equatable {
  var heads: [RequestHead] = []
  var consumed: [Int] = []
  var error: HTTPError?
}

/// Parses requests without bodies out of `reads`, the way a server does.
func parse(_ reads: [[UInt8]], limits: RequestLimits = RequestLimits()) -> Outcome {
  var parser = RequestParser(limits: limits)
  var unread: [UInt8] = []
  var outcome = Outcome()
  for read in reads {
    unread += read
    do throws(HTTPError) {
      while case .head(let head, let consumed) = try parser.parse(unread.span) {
        outcome.heads.append(head)
        outcome.consumed.append(consumed)
        unread.removeFirst(consumed)
      }
    } catch {
      outcome.error = error
      return outcome
    }
  }
  return outcome
}

func parse(_ text: String, limits: RequestLimits = RequestLimits()) -> Outcome {
  parse([Array(text.utf8)], limits: limits)
}

/// The only head that `text` has; nil when it has an error or isn't complete.
func onlyHead(_ text: String) -> RequestHead? {
  let outcome = parse(text)
  return outcome.error == nil && outcome.heads.count == 1 ? outcome.heads[0] : nil
}

/// `GET / HTTP/1.1` with `fields`, each ended by CRLF, after a `Host`.
func get(_ fields: String) -> String {
  "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"
}

/// The request that OpenAI's Python SDK sends for a chat completion.
let chatCompletionRequest = """
  POST /v1/chat/completions HTTP/1.1\r
  Host: catraca.internal:8080\r
  Accept-Encoding: gzip, deflate\r
  Connection: keep-alive\r
  Accept: application/json\r
  Content-Type: application/json\r
  User-Agent: OpenAI/Python 2.8.1\r
  X-Stainless-Lang: python\r
  X-Stainless-Package-Version: 2.8.1\r
  X-Stainless-OS: Linux\r
  X-Stainless-Arch: x64\r
  X-Stainless-Runtime: CPython\r
  X-Stainless-Runtime-Version: 3.13.0\r
  Authorization: Bearer sk-ctr-0123456789abcdefghijklmnopqrstuvwxyz0123456\r
  Content-Length: 142\r
  \r\n
  """
