internal import CCurl
internal import HTTP

/// Owns the header lines of one request in libcurl's format.
@safe struct HeaderList: ~Copyable {
  private(set) var head: UnsafeMutablePointer<curl_slist>?
  private var tail: UnsafeMutablePointer<curl_slist>?

  /// Lists `fields`, and prevents the fields that libcurl would add.
  ///
  /// - Parameter upgrades: Whether the request asks to upgrade the connection.
  init(_ fields: HeaderFields, upgrades: Bool = false) {
    var line: [UInt8] = []
    fields.forEach { name, value in
      guard !Self.belongsToConnection(name) else { return }
      line.removeAll(keepingCapacity: true)
      line.append(name)
      // An empty value is written `Name;`, because `Name:` would remove the field.
      line.append(UInt8(ascii: value.isEmpty ? ";" : ":"))
      if !value.isEmpty { line.append(UInt8(ascii: " ")) }
      line.append(value)
      append(&line)
    }
    // Prevents the wait for `100 Continue` before the body.
    append("Expect:")
    if !fields.contains(.accept) { append("Accept:") }
    if !fields.contains(.contentType) { append("Content-Type:") }
    if upgrades {
      append("Connection: Upgrade")
      append("Transfer-Encoding:")
    }
  }

  deinit {
    unsafe curl_slist_free_all(head)
  }

  /// Whether libcurl writes such a field itself. It is called for every field, so the length is
  /// compared first.
  private static func belongsToConnection(_ name: Span<UInt8>) -> Bool {
    switch name.count {
    case 4: FieldName.host.matches(name)
    case 6: FieldName.expect.matches(name)
    case 10: FieldName.connection.matches(name)
    case 14: FieldName.contentLength.matches(name)
    case 17: FieldName.transferEncoding.matches(name)
    default: false
    }
  }

  private mutating func append(_ line: StaticString) {
    var bytes: [UInt8] = []
    line.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    append(&bytes)
  }

  private mutating func append(_ line: inout [UInt8]) {
    line.append(0)
    let added = unsafe line.withUnsafeBytes { bytes in
      // With the last element as the list, libcurl needn't walk the whole list.
      unsafe curl_slist_append(tail, bytes.assumingMemoryBound(to: CChar.self).baseAddress)
    }
    guard let added = unsafe added else { preconditionFailure("out of memory") }
    if let last = unsafe tail {
      unsafe tail = last.pointee.next
    } else {
      unsafe head = added
      unsafe tail = added
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
