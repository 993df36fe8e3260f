internal import HTTP

/// The fields of a page's form (`application/x-www-form-urlencoded`).
struct PageForm: Sendable {
  private let values: [(name: String, value: String)]

  static let empty = PageForm(values: [])

  private init(values: [(name: String, value: String)]) {
    self.values = values
  }

  init(_ bytes: [UInt8]) throws(APIError) {
    var values: [(name: String, value: String)] = []
    for pair in String(decoding: bytes, as: UTF8.self).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
        let value = PercentEncoding.decode(parts.dropFirst().first ?? "", plusIsSpace: true)
      else { throw .invalidValue("\(parts[0])", allowed: "UTF-8 text with percent escapes") }
      values.append((name, value))
    }
    self.init(values: values)
  }

  /// The value of a field without surrounding spaces; nil if it is empty or absent.
  subscript(_ name: String) -> String? {
    guard let value = values.first(where: { $0.name == name })?.value else { return nil }
    let visible = value.drop { $0.isWhitespace }
    let end = visible.lastIndex { !$0.isWhitespace }
    return end.map { String(visible[...$0]) }
  }

  /// The values of all fields of that name, such as checked boxes.
  func all(_ name: String) -> [String] {
    values.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }
}
