/// The header fields of a message, in order, with repeated fields.
///
/// All names and values are in one array of bytes, with one array of their ranges. A parsed head
/// therefore costs two allocations, whatever the number of fields, and a copy without some fields
/// shares the bytes. No field can contain a line end or another control character except the tab,
/// so serialized bytes contain exactly these fields.
public struct HeaderFields: Sendable {
  /// The most bytes of names and values. It limits the fields that a provider sends.
  public static let maximumBytes = 1 << 20

  private(set) var storage: [UInt8]
  private(set) var ranges: [FieldRange]

  /// Creates an empty collection with the given capacity.
  public init(fieldCapacity: Int = 0, byteCapacity: Int = 0) {
    storage = []
    ranges = []
    storage.reserveCapacity(byteCapacity)
    ranges.reserveCapacity(fieldCapacity)
  }

  /// Takes over a parser's result: `ranges` lie in `storage` and were checked.
  init(storage: [UInt8], ranges: [FieldRange]) {
    self.storage = storage
    self.ranges = ranges
  }

  /// The number of fields, counting repeated ones each.
  public var count: Int { ranges.count }

  public var isEmpty: Bool { ranges.isEmpty }
}

// MARK: Reading

extension HeaderFields {
  /// Returns the first value of `name`, in which bytes that aren't UTF-8 become U+FFFD; nil if
  /// there is no such field.
  public func first(_ name: FieldName) -> String? {
    withFirst(name) { String($0) }
  }

  /// Calls `body` with the bytes of the first value of `name`; returns nil if there is no such
  /// field.
  ///
  /// - Throws: The error of `body`.
  public func withFirst<Result, Failure: Error>(
    _ name: FieldName, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let index = firstIndex(of: name) else { return nil }
    return try body(storage.span.extracting(ranges[index].value))
  }

  /// Returns all values of `name`, in order.
  public func values(_ name: FieldName) -> [String] {
    var values: [String] = []
    forEachValue(name) { values.append(String($0)) }
    return values
  }

  public func contains(_ name: FieldName) -> Bool {
    firstIndex(of: name) != nil
  }

  /// Returns the number of fields named `name`.
  public func count(of name: FieldName) -> Int {
    var count = 0
    forEachValue(name) { _ in count += 1 }
    return count
  }

  /// Whether the comma-separated list in `name` contains `token`, in any case. For `Connection` and
  /// similar fields.
  public func contains(_ name: FieldName, token: String) -> Bool {
    var isFound = false
    forEachListMember(name) { isFound = isFound || $0.equalsIgnoringCase(token) }
    return isFound
  }

  /// Visits all fields in order, with their names as sent.
  ///
  /// - Throws: The error of `body`.
  public func forEach<Failure: Error>(
    _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = storage.span
    for range in ranges {
      try body(bytes.extracting(range.name), bytes.extracting(range.value))
    }
  }

  /// Visits the members of the comma-separated lists in `name`, except empty ones.
  func forEachListMember(_ name: FieldName, _ body: (Span<UInt8>) -> Void) {
    forEachValue(name) { value in
      var start = 0
      while start < value.count {
        let end = value.firstIndex(of: ASCII.comma, in: start..<value.count) ?? value.count
        let member = value.trimmingWhitespace(start..<end)
        if !member.isEmpty { body(value.extracting(member)) }
        start = end + 1
      }
    }
  }

  /// Calls `body` with the bytes of all names and values in sequence, for a search over all of
  /// them.
  public func withAllBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span)
  }

  /// Returns the index of the first field named `name` at or after `start`.
  private func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
    let (bytes, ranges, wanted) = (storage.span, ranges.span, name.bytes.span)
    for index in start..<ranges.count {
      let range = ranges[index]
      // Most names already differ in length.
      if range.nameCount == wanted.count,
        bytes.extracting(range.name).equalsIgnoringCase(wanted)
      {
        return index
      }
    }
    return nil
  }

  private func forEachValue(_ name: FieldName, _ body: (Span<UInt8>) -> Void) {
    var next = firstIndex(of: name)
    while let index = next {
      body(storage.span.extracting(ranges[index].value))
      next = firstIndex(of: name, from: index + 1)
    }
  }
}

// MARK: Writing

extension HeaderFields {
  /// Appends a field.
  ///
  /// - Throws: `HTTPError.invalidFieldValue` if `value` has a control character except the tab;
  ///   `HTTPError.headerTooLarge` beyond `maximumBytes`.
  public mutating func append(_ name: FieldName, _ value: String) throws(HTTPError) {
    try append(name, value.utf8.span)
  }

  /// Appends a field.
  /// - Throws: `HTTPError.invalidFieldValue` or `HTTPError.headerTooLarge`.
  public mutating func append(_ name: FieldName, _ value: Span<UInt8>) throws(HTTPError) {
    try check(name, value)
    appendChecked(name.bytes.span, value)
  }

  /// Appends a field with a decimal number.
  public mutating func append(_ name: FieldName, _ value: Int) {
    appendChecked(name.bytes.span, String(value).utf8.span)
  }

  /// Appends a field with a constant value.
  public mutating func append(_ name: FieldName, constant value: StaticString) {
    value.withUTF8Buffer { buffer in
      let bytes = unsafe buffer.span
      precondition(
        ControlBytes.firstIndex(in: bytes, from: 0) == nil, "not a field value: \(value)")
      appendChecked(name.bytes.span, bytes)
    }
  }

  /// Appends a field with a value that Catraca created itself: an ID, a number, a time, its own
  /// key.
  ///
  /// A value from outside, even in part, must use `append`, which throws. The few own fields may
  /// exceed `maximumBytes`, because a client or a provider decides how much of it is used.
  public mutating func appendOwn(_ name: FieldName, _ value: String) {
    let bytes = value.utf8.span
    precondition(
      ControlBytes.firstIndex(in: bytes, from: 0) == nil, "an own value has a control character")
    appendChecked(name.bytes.span, bytes)
  }

  /// Appends the field of a raw `Name: value` line, with or without its CRLF. The name keeps its
  /// case.
  ///
  /// - Throws: `HTTPError.foldedField`, `invalidFieldName`, `invalidFieldValue`, or
  ///   `headerTooLarge` beyond `maximumBytes`.
  public mutating func append(line: Span<UInt8>) throws(HTTPError) {
    var end = line.count
    if end >= 2, line[end - 2] == ASCII.carriageReturn, line[end - 1] == ASCII.lineFeed { end -= 2 }
    let bytes = line.extracting(0..<end)
    guard ControlBytes.firstIndex(in: bytes, from: 0) == nil else { throw .invalidFieldValue }
    let range = try FieldRange(line: 0..<end, of: bytes)
    guard storage.count + end <= Self.maximumBytes else { throw .headerTooLarge }
    appendChecked(bytes.extracting(range.name), bytes.extracting(range.value))
  }

  /// Appends all fields of `other`.
  public mutating func append(contentsOf other: HeaderFields) {
    other.forEach { name, value in appendChecked(name, value) }
  }

  /// Replaces all fields named `name` by one.
  /// - Throws: `HTTPError.invalidFieldValue` or `HTTPError.headerTooLarge`; nothing has changed
  ///   then.
  public mutating func set(_ name: FieldName, _ value: String) throws(HTTPError) {
    let bytes = value.utf8.span
    try check(name, bytes)
    remove(name)
    appendChecked(name.bytes.span, bytes)
  }

  /// Replaces all fields named `name` by one with a decimal number.
  public mutating func set(_ name: FieldName, _ value: Int) {
    remove(name)
    append(name, value)
  }

  /// Removes all fields named `name`.
  public mutating func remove(_ name: FieldName) {
    removeAll { candidate, _ in name.matches(candidate) }
  }

  /// Removes the fields for which `isUnwanted` returns true.
  public mutating func removeAll(
    where isUnwanted: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool
  ) {
    let storage = storage
    func isUnwantedField(_ range: FieldRange) -> Bool {
      isUnwanted(storage.span.extracting(range.name), storage.span.extracting(range.value))
    }
    // Usually there is no such field, and nothing is copied.
    guard let first = ranges.firstIndex(where: isUnwantedField) else { return }
    ranges[first...].removeAll(where: isUnwantedField)
  }

  private func check(_ name: FieldName, _ value: Span<UInt8>) throws(HTTPError) {
    guard ControlBytes.firstIndex(in: value, from: 0) == nil else { throw .invalidFieldValue }
    guard storage.count + name.bytes.count + value.count <= Self.maximumBytes else {
      throw .headerTooLarge
    }
  }

  private mutating func appendChecked(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    let nameStart = storage.count
    let valueStart = nameStart + name.count
    storage.append(addingCapacity: name.count + value.count) { output in
      output.append(name)
      output.append(value)
    }
    ranges.append(
      FieldRange(name: nameStart..<valueStart, value: valueStart..<valueStart + value.count))
  }
}

extension HeaderFields: Equatable {
  /// Compares the fields in their order, with names compared without regard to case.
  public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left.ranges, right.ranges).allSatisfy { one, other in
      FieldName(left.storage.span.extracting(one.name))
        == FieldName(right.storage.span.extracting(other.name))
        && left.storage[one.value] == right.storage[other.value]
    }
  }
}

extension HeaderFields: CustomStringConvertible {
  /// The names, with the lengths of the values: values may be secrets.
  public var description: String {
    var parts: [String] = []
    forEach { name, value in parts.append("\(String(name)) (\(value.count) bytes)") }
    return parts.joined(separator: ", ")
  }
}
