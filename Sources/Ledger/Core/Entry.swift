internal import JSON
internal import Time

/// One thing to write about a request, or about objects that a provider keeps.
///
/// Small, since it is handed from array to array.
package enum Entry: Sendable {
  /// It is about to be forwarded; with what recovery would settle it with.
  case open(interrupted: SettledRequest)
  /// The same for one that the offline reserve has let in: only in a spool.
  case openOffline(interrupted: SettledRequest)
  case settle(SettledRequest)
  indirect case discard(RequestID)
  /// The provider has answered and goes on with the work.
  indirect case deferral(DeferredRequest)
  indirect case settleDeferred(DeferredSettlement)
  /// A provider's answer has shown these objects.
  case objects([ProviderObject])
  /// The provider has deleted an object.
  indirect case objectEnd(ObjectEnd)
}

/// The deletion of an object at its provider.
package struct ObjectEnd: Hashable, Sendable {
  var provider: String
  var objectID: String
  var at: Timestamp
}

extension Entry {
  /// The request that an intent is of; nil for all other entries.
  var openedRequestID: RequestID? {
    switch self {
    case .open(let settlement), .openOffline(let settlement): settlement.row.requestID
    case .settle, .discard, .deferral, .settleDeferred, .objects, .objectEnd: nil
    }
  }

  /// The entry as one line of JSON, with all that is needed to write it later.
  ///
  /// - Parameter replica: whose leases it is taken off; nil where none are.
  func line(of replica: ReplicaID? = nil) -> [UInt8] {
    var line = JSONWriter()
    line.object { line in
      switch self {
      case .open(let interrupted):
        line.key("open")
        line.settlement(interrupted, withPriceRecord: true)
      case .openOffline(let interrupted):
        line.key("open_offline")
        line.settlement(interrupted, withPriceRecord: true, leases: .held)
      case .settle(let settlement):
        line.key("settle")
        line.settlement(
          settlement, withPriceRecord: true,
          leases: replica.map { .taken(from: $0) } ?? .nothing)
      case .discard(let requestID):
        line.member("discard", requestID.description)
      case .deferral(let request):
        line.key("defer")
        line.record { request.write(to: &$0) }
      case .settleDeferred(let settlement):
        line.key("settle_deferred")
        line.deferredSettlement(settlement)
      case .objects(let objects):
        line.key("objects")
        line.providerObjects(objects)
      case .objectEnd(let end):
        line.key("object_end")
        line.record { end.write(to: &$0) }
      }
    }
    return line.bytes + [UInt8(ascii: "\n")]
  }

  init(line: String, reader: SettlementReader) throws(LedgerError) {
    let entry = try reader.read(line)
    if let interrupted = entry["open"] {
      self = .open(interrupted: try reader.settlement(from: interrupted))
    } else if let interrupted = entry["open_offline"] {
      self = .openOffline(interrupted: try reader.settlement(from: interrupted))
    } else if let settlement = entry["settle"] {
      self = .settle(try reader.settlement(from: settlement))
    } else if let requestID = entry["discard"]?.string.flatMap({ RequestID($0) }) {
      self = .discard(requestID)
    } else if let request = entry["defer"] {
      self = .deferral(try DeferredRequest(from: ObjectReader(request), reader))
    } else if let settlement = entry["settle_deferred"] {
      self = .settleDeferred(try reader.deferredSettlement(from: settlement))
    } else if let objects = entry["objects"] {
      self = .objects(try reader.providerObjects(from: objects))
    } else if let end = entry["object_end"] {
      self = .objectEnd(try ObjectEnd(from: ObjectReader(end)))
    } else {
      throw .unreadable(record: "a spooled entry")
    }
  }
}
