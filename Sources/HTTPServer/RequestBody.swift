internal import HTTP

/// Takes the body of one request from the connection's input.
struct RequestBody {
  private enum Rest {
    case none
    case sized(Int64)
    case chunked(ChunkedDecoder)
  }

  private var rest: Rest
  private(set) var hasBegun = false

  init(_ framing: BodyFraming) {
    rest =
      switch framing {
      case .none, .sized(0): .none
      case .sized(let length): .sized(length)
      case .chunked: .chunked(ChunkedDecoder())
      }
  }

  var isComplete: Bool {
    if case .none = rest { true } else { false }
  }

  /// Moves the available bytes of the body to the end of `bytes`.
  mutating func take(
    from input: inout InputBuffer, into bytes: inout [UInt8]
  ) throws(HTTPExchangeError) {
    hasBegun = true
    switch rest {
    case .none: return
    case .sized(let left):
      let before = input.count
      input.move(upTo: Int(clamping: left), into: &bytes)
      let remaining = left - Int64(before - input.count)
      rest = remaining == 0 ? .none : .sized(remaining)
    case .chunked(var decoder):
      do {
        let consumed = try input.withUnread { unread throws(HTTPError) in
          try decoder.decode(unread, into: &bytes)
        }
        input.consume(consumed)
        rest = decoder.isFinished ? .none : .chunked(decoder)
      } catch {
        throw .invalidBody(error)
      }
    }
  }
}
