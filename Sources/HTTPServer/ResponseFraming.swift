internal import HTTP

extension ResponseHead {
  /// Appends a whole answer. Only this code sets the fields that frame it.
  func appendAnswer(to output: inout [UInt8], body: [UInt8], isHead: Bool, closes: Bool) {
    var head = self
    head.fields.removeFraming()
    if status >= 200 && status != 204 && status != 304 {
      head.fields.append(.contentLength, body.count)
    }
    if closes { head.fields.append(.connection, constant: "close") }
    head.serialize(into: &output)
    if !isHead && status != 204 && status != 304 { output.append(contentsOf: body) }
  }

  /// Appends the head after which the protocol in its `Upgrade` is spoken.
  func appendUpgrade(to output: inout [UInt8]) {
    var head = self
    head.fields.removeFraming()
    head.fields.append(.connection, constant: "Upgrade")
    head.serialize(into: &output)
  }

  /// Appends the head of an answer whose body follows in `framing`.
  func appendStart(to output: inout [UInt8], framing: HTTPExchange.Framing, closes: Bool) {
    var head = self
    head.fields.removeFraming()
    switch framing {
    case .sized(let length): head.fields.append(.contentLength, Int(length))
    case .chunked: head.fields.append(.transferEncoding, constant: "chunked")
    case .untilClose: break
    }
    if closes { head.fields.append(.connection, constant: "close") }
    head.serialize(into: &output)
  }
}

extension HeaderFields {
  private static let framing = FieldNameSet(.contentLength, .transferEncoding, .connection)

  fileprivate mutating func removeFraming() {
    let framing = Self.framing
    removeAll { name, _ in framing.contains(name) }
  }
}
