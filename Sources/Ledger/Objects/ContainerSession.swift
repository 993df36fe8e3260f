public import Time

/// A session of a container that a request has paid for.
public struct ContainerSession: Hashable, Sendable {
  /// The name of its price, which tells the container's memory.
  public var price: String
  public var startedAt: Timestamp
  /// The request that was charged for it.
  public var payer: RequestID

  /// The time that one session lasts.
  public static let length = Duration.seconds(20 * 60)

  public init(price: String, startedAt: Timestamp, payer: RequestID) {
    self.price = price
    self.startedAt = startedAt
    self.payer = payer
  }

  /// Whether the session has time left at `now`.
  public func isLive(at now: Timestamp) -> Bool {
    now < startedAt.advanced(by: ContainerSession.length)
  }
}

/// A session's fields under the names of `provider_objects`.
extension ContainerSession {
  func write(to fields: inout some FieldWriter) {
    fields.write("session_price", price)
    fields.write("session_started_at", startedAt.rfc3339)
    fields.write("session_request_id", payer.description)
  }

  /// Returns nil if the object has no session that was paid.
  init?(from fields: some FieldReader, of record: String) throws(LedgerError) {
    guard let payer = fields.text("session_request_id") else { return nil }
    self.init(
      price: try fields.requiredText("session_price", of: record),
      startedAt: try fields.requiredInstant("session_started_at", of: record),
      payer: try fields.required("session_request_id", of: record, RequestID(payer)))
  }
}
