/// The header fields of a message, in order, repeated ones kept.
///
/// All names and values lie in one array of bytes and are found through one array of ranges, so a
/// parsed head costs two allocations however many fields it has, and a copy without some of them
/// shares the bytes. No field can hold a line end or another control character but the tab:
/// whatever is serialized has exactly these fields.
public struct HeaderFields: Sendable {
  /// The most bytes of names and values that can be appended: a bound for what a provider sends.
  public static let maximumBytes = 1 << 20

  private(set) var storage: [UInt8]
  private(set) var ranges: [FieldRange]

  /// No fields, with room for some.
  public init(fieldCapacity: Int = 0, byteCapacity: Int = 0) {
    storage = []
    ranges = []
    storage.reserveCapacity(byteCapacity)
    ranges.reserveCapacity(fieldCapacity)
  }

  /// Takes over what a parser has read: `ranges` lie in `storage` and were checked.
  init(storage: [UInt8], ranges: [FieldRange]) {
    self.storage = storage
    self.ranges = ranges
  }

  /// How many fields there are; repeated ones count each.
  public var count: Int { ranges.count }

  public var isEmpty: Bool { ranges.isEmpty }
}

// MARK: Reading

extension HeaderFields {
  /// The first value under `name`; what isn't UTF-8 in it becomes U+FFFD.
  public func first(_ name: FieldName) -> String? {
    withFirst(name) { String($0) }
  }

  /// Hands the bytes of the first value under `name` to `body`; nil when there is no such field.
  public func withFirst<Result, Failure: Error>(
    _ name: FieldName, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let index = firstIndex(of: name) else { return nil }
    return try body(storage.span.extracting(ranges[index].value))
  }

  /// All values under `name`, in order.
  public func values(_ name: FieldName) -> [String] {
    var values: [String] = []
    forEachValue(name) { values.append(String($0)) }
    return values
  }

  public func contains(_ name: FieldName) -> Bool {
    firstIndex(of: name) != nil
  }

  /// How many fields there are under `name`.
  public func count(of name: FieldName) -> Int {
    var count = 0
    forEachValue(name) { _ in count += 1 }
    return count
  }

  /// Whether the comma-separated list under `name` has `token`, in any case: for `Connection` and
  /// its like.
  public func contains(_ name: FieldName, token: String) -> Bool {
    var isFound = false
    forEachListMember(name) { isFound = isFound || $0.equalsIgnoringCase(token) }
    return isFound
  }

  /// Visits all fields in order; names are as they were sent.
  public func forEach<Failure: Error>(
    _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let bytes = storage.span
    for range in ranges {
      try body(bytes.extracting(range.name), bytes.extracting(range.value))
    }
  }

  /// Visits the members of the comma-separated lists under `name`; empty ones are left out.
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

  /// Hands the bytes of all names and values to `body`, one behind the other: enough to tell if
  /// something stands in any of them.
  public func withAllBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(storage.span)
  }

  /// The index of the first field at or after `start` under `name`.
  private func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
    let (bytes, ranges, wanted) = (storage.span, ranges.span, name.bytes.span)
    for index in start..<ranges.count {
      let range = ranges[index]
      // Most names differ in length already.
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
  /// Adds a field after all others.
  ///
  /// Throws `invalidFieldValue` when `value` has a control character other than the tab, and
  /// `headerTooLarge` past `maximumBytes`.
  public mutating func append(_ name: FieldName, _ value: String) throws(HTTPError) {
    try append(name, value.utf8.span)
  }

  /// Adds a field after all others; throws as the form with a string does.
  public mutating func append(_ name: FieldName, _ value: Span<UInt8>) throws(HTTPError) {
    try check(name, value)
    appendChecked(name.bytes.span, value)
  }

  /// Adds a field with a decimal number after all others.
  public mutating func append(_ name: FieldName, _ value: Int) {
    appendChecked(name.bytes.span, String(value).utf8.span)
  }

  /// Adds a field whose value is known when the program is written.
  public mutating func append(_ name: FieldName, constant value: StaticString) {
    value.withUTF8Buffer { buffer in
      let bytes = unsafe buffer.span
      precondition(
        ControlBytes.firstIndex(in: bytes, from: 0) == nil, "not a field value: \(value)")
      appendChecked(name.bytes.span, bytes)
    }
  }

  /// Adds a field whose value Catraca has made itself: an id, a number, a time, its own key.
  ///
  /// A value that came from outside, even in part, goes through `append`, which throws. The few own
  /// fields have room above `maximumBytes`, since a client or a provider decides how much of that
  /// is taken.
  public mutating func appendOwn(_ name: FieldName, _ value: String) {
    let bytes = value.utf8.span
    precondition(
      ControlBytes.firstIndex(in: bytes, from: 0) == nil, "an own value has a control character")
    appendChecked(name.bytes.span, bytes)
  }

  /// Adds the field of a raw `Name: value` line, with or without its CRLF; the name keeps its case.
  ///
  /// Throws `foldedField`, `invalidFieldName`, `invalidFieldValue`, or `headerTooLarge` past
  /// `maximumBytes`.
  public mutating func append(line: Span<UInt8>) throws(HTTPError) {
    var end = line.count
    if end >= 2, line[end - 2] == ASCII.carriageReturn, line[end - 1] == ASCII.lineFeed { end -= 2 }
    let bytes = line.extracting(0..<end)
    guard ControlBytes.firstIndex(in: bytes, from: 0) == nil else { throw .invalidFieldValue }
    let range = try FieldRange(line: 0..<end, of: bytes)
    guard storage.count + end <= Self.maximumBytes else { throw .headerTooLarge }
    appendChecked(bytes.extracting(range.name), bytes.extracting(range.value))
  }

  /// Adds all fields of `other` after those here.
  public mutating func append(contentsOf other: HeaderFields) {
    other.forEach { name, value in appendChecked(name, value) }
  }

  /// Removes all fields under `name` and adds one; throws as `append` does, then with nothing
  /// changed.
  public mutating func set(_ name: FieldName, _ value: String) throws(HTTPError) {
    let bytes = value.utf8.span
    try check(name, bytes)
    remove(name)
    appendChecked(name.bytes.span, bytes)
  }

  /// Removes all fields under `name` and adds one with a decimal number.
  public mutating func set(_ name: FieldName, _ value: Int) {
    remove(name)
    append(name, value)
  }

  /// Removes all fields under `name`.
  public mutating func remove(_ name: FieldName) {
    removeAll { candidate, _ in name.matches(candidate) }
  }

  /// Removes the fields for which `isUnwanted` holds.
  public mutating func removeAll(
    where isUnwanted: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool
  ) {
    let storage = storage
    func isUnwantedField(_ range: FieldRange) -> Bool {
      isUnwanted(storage.span.extracting(range.name), storage.span.extracting(range.value))
    }
    // Mostly there is none, and then nothing is copied.
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
  /// The same fields in the same order, names compared without regard to case.
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
  /// Names and the lengths of values; values may be secrets.
  public var description: String {
    var parts: [String] = []
    forEach { name, value in parts.append("\(String(name)) (\(value.count) bytes)") }
    return parts.joined(separator: ", ")
  }
}
