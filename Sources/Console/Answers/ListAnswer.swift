internal import JSON

/// One page of a list: what was asked for, and one entry more where the list goes on.
struct Page<Entry> {
  let entries: [Entry]
  /// Where the next page begins; nil on the last.
  let next: String?

  /// - Parameters:
  ///   - entries: those after the cursor, at least one more than `limit` where there are so many.
  ///   - cursor: what names an entry, so that the next page begins after it.
  init(_ entries: [Entry], limit: Int, cursor: (Entry) -> String) {
    self.entries = Array(entries.prefix(limit))
    next = entries.count > limit ? self.entries.last.map(cursor) : nil
  }

  /// All of a list that has no pages.
  init(whole entries: [Entry]) {
    self.entries = entries
    next = nil
  }

  /// `{"data":[…],"has_more":true,"next":"CURSOR"}`, each entry written by `write`.
  func answer(_ write: (Entry, inout JSONWriter) -> Void) -> Answer {
    Answer { body in body.object { writeMembers(to: &$0, write) } }
  }

  /// The members of that answer, inside of an object that may have others.
  func writeMembers(to body: inout JSONWriter, _ write: (Entry, inout JSONWriter) -> Void) {
    body.member("data") { data in
      data.array { data in for entry in entries { write(entry, &data) } }
    }
    body.member("has_more", next != nil)
    body.member("next", next)
  }
}

extension JSONWriter {
  /// Writes a key and an array of strings, or null.
  mutating func member(_ key: String, _ items: [String]?) {
    self.key(key)
    guard let items else { return null() }
    array { array in for item in items { array.string(item) } }
  }

  /// Writes a key and tenths of a per cent as a number with one decimal, or null.
  mutating func member(_ key: String, permille: Int?) {
    self.key(key)
    guard let permille else { return null() }
    raw("\(permille / 10).\(permille % 10)".utf8)
  }
}
