/// Several names that a field is compared with at once. Only names of its own length are looked at.
public struct FieldNameSet: Sendable {
  /// Those of each length.
  private let names: [[FieldName]]

  /// - Parameter names: Of fewer than 64 bytes each.
  public init(_ names: FieldName...) {
    let longest = names.reduce(0) { max($0, $1.bytes.count) }
    precondition(longest < 64, "no field has a name of \(longest) bytes")
    self.names = (0...longest).map { length in names.filter { $0.bytes.count == length } }
  }

  /// Whether one of the names is this one, in any case.
  public func contains(_ name: Span<UInt8>) -> Bool {
    name.count < names.count && names[name.count].contains { $0.matches(name) }
  }
}
