internal import JSON

/// One thing to write about one request.
///
/// Indirect, since it is handed from array to array, and a settlement has many strings to retain.
package indirect enum Entry: Sendable {
  /// It is about to be forwarded; with what recovery would settle it with.
  case open(interrupted: SettledRequest)
  case settle(SettledRequest)
  case discard(RequestID)
  /// The provider has answered and goes on with the work.
  case deferral(DeferredRequest)
  case settleDeferred(DeferredSettlement)
}

extension Entry {
  /// The entry as one line of JSON, with all that is needed to write it later.
  var line: [UInt8] {
    var line = JSONWriter()
    line.object { line in
      switch self {
      case .open(let interrupted):
        line.key("open")
        line.settlement(interrupted, withPriceRecord: true)
      case .settle(let settlement):
        line.key("settle")
        line.settlement(settlement, withPriceRecord: true)
      case .discard(let requestID):
        line.member("discard", requestID.description)
      case .deferral(let request):
        line.key("defer")
        line.record { request.write(to: &$0) }
      case .settleDeferred(let settlement):
        line.key("settle_deferred")
        line.deferredSettlement(settlement)
      }
    }
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(line: String, reader: SettlementReader) throws(LedgerError) {
    let entry = try reader.object(in: line, at: "$")
    if entry.text("open") != nil {
      self = .open(interrupted: try reader.settlement(in: line, at: "$.open"))
    } else if entry.text("settle") != nil {
      self = .settle(try reader.settlement(in: line, at: "$.settle"))
    } else if let requestID = entry.text("discard").flatMap({ RequestID($0) }) {
      self = .discard(requestID)
    } else if entry.text("defer") != nil {
      self = .deferral(
        try DeferredRequest(from: try reader.object(in: line, at: "$.defer"), reader))
    } else if entry.text("settle_deferred") != nil {
      self = .settleDeferred(try reader.deferredSettlement(in: line, at: "$.settle_deferred"))
    } else {
      throw .unreadable(record: "a spooled entry")
    }
  }
}
