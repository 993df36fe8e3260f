// What a field says, without making a text of it.

extension HeaderFields {
  /// What follows `Bearer ` in the first `Authorization`; nil where there is none, where it has
  /// another scheme, and where nothing follows.
  public var bearerToken: String? {
    withFirst(.authorization) { value -> String? in
      let scheme: StaticString = "bearer "
      let start = scheme.utf8CodeUnitCount
      guard value.count > start, value.begins(with: scheme) else { return nil }
      return String(value.extracting(droppingFirst: start))
    } ?? nil
  }

  /// Whether the first value under `name` is this one, in any case.
  ///
  /// - Parameter lowercase: Without capitals.
  public func first(_ name: FieldName, is lowercase: StaticString) -> Bool {
    withFirst(name) {
      $0.count == lowercase.utf8CodeUnitCount && $0.begins(with: lowercase)
    } ?? false
  }

  /// Whether the first value under `name` begins so, in any case.
  ///
  /// - Parameter lowercase: Without capitals.
  public func first(_ name: FieldName, beginsWith lowercase: StaticString) -> Bool {
    withFirst(name) { $0.begins(with: lowercase) } ?? false
  }
}

extension Span where Element == UInt8 {
  fileprivate func begins(with lowercase: StaticString) -> Bool {
    let count = lowercase.utf8CodeUnitCount
    guard self.count >= count else { return false }
    return lowercase.withUTF8Buffer { lowercase in
      unsafe extracting(first: count).equalsIgnoringCase(lowercase.span)
    }
  }
}
