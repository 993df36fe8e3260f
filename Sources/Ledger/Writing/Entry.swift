internal import JSON

/// One thing to write about one request.
enum Entry: Sendable {
  /// It is about to be forwarded; with what recovery would settle it with.
  case open(interrupted: Settlement)
  case settle(Settlement)
  case discard(RequestID)
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
    } else {
      throw .unreadable(record: "a spooled entry")
    }
  }
}
