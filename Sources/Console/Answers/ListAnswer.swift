internal import JSON

/// One page of a list.
struct Page<Entry> {
  let entries: [Entry]
  /// The cursor of the next page; nil on the last page.
  let next: String?

  /// - Parameters:
  ///   - entries: The entries after the cursor. If the list goes on after this page, more than
  ///     `limit`.
  ///   - cursor: Names an entry; the next page begins after it.
  init(_ entries: [Entry], limit: Int, cursor: (Entry) -> String) {
    self.entries = Array(entries.prefix(limit))
    next = entries.count > limit ? self.entries.last.map(cursor) : nil
  }

  /// Makes the only page of a list that has no further pages.
  init(whole entries: [Entry]) {
    self.entries = entries
    next = nil
  }

  /// `{"data":[…],"has_more":true,"next":"CURSOR"}`, each entry written by `write`.
  func answer(_ write: (Entry, inout JSONWriter) -> Void) -> Answer {
    Answer { body in body.object { writeMembers(to: &$0, write) } }
  }

  func answer(_ fields: AnswerFields<Entry>) -> Answer { answer(fields.write) }

  /// Writes the members of that answer into an object that may have other members.
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
}
