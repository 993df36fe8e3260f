// Compares the values of fields without creating strings.

extension HeaderFields {
  /// The text after `Bearer ` in the first `Authorization`; nil if the field is missing, has
  /// another scheme, or has nothing after it.
  public var bearerToken: String? {
    withFirst(.authorization) { value -> String? in
      let scheme: StaticString = "bearer "
      let start = scheme.utf8CodeUnitCount
      guard value.count > start, value.begins(with: scheme) else { return nil }
      return String(value.extracting(droppingFirst: start))
    } ?? nil
  }

  /// Whether the first value of `name` equals this one, in any case.
  ///
  /// - Parameter lowercase: The value, without capital letters.
  public func first(_ name: FieldName, is lowercase: StaticString) -> Bool {
    withFirst(name) {
      $0.count == lowercase.utf8CodeUnitCount && $0.begins(with: lowercase)
    } ?? false
  }

  /// Whether the first value of `name` begins with this text, in any case.
  ///
  /// - Parameter lowercase: The text, without capital letters.
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
