/// Several names that a field is compared with at once: the length of most names is that of none of
/// them.
public struct FieldNameSet: Sendable {
  private let names: [FieldName]
  /// The bit of each length that one of the names has.
  private let lengths: UInt64

  /// - Parameter names: Of fewer than 64 bytes each.
  public init(_ names: FieldName...) {
    self.names = names
    lengths = names.reduce(0) { lengths, name in
      precondition(name.bytes.count < UInt64.bitWidth, "no field is called \(name)")
      return lengths | 1 << UInt64(name.bytes.count)
    }
  }

  /// Whether one of the names is this one, in any case.
  public func contains(_ name: Span<UInt8>) -> Bool {
    guard name.count < UInt64.bitWidth, lengths >> UInt64(name.count) & 1 == 1 else {
      return false
    }
    return names.contains { $0.matches(name) }
  }
}
