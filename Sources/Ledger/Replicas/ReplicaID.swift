/// Identifies one run of one server among those that share a ledger.
public struct ReplicaID: Hashable, Sendable {
  let text: String

  /// - Parameter random: 64 random bits.
  public init(random: UInt64) {
    let digits = String(random, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }

  init(text: String) {
    self.text = text
  }
}

extension ReplicaID: CustomStringConvertible {
  public var description: String { text }
}
