import JSON

/// Walks a body, and gathers the objects that it names.
struct ReferenceSearch {
  private(set) var found: [ObjectReference] = []
  private var seen: Set<ObjectReference> = []
  /// The root's member in which the search is.
  var place: String?
  /// How many arrays the search is in.
  private var arrayDepth = 0

  /// So deep, an element is looked through before it is searched: most messages name nothing. To
  /// do so at any depth would look at the deepest strings once for each.
  private static let deepestHint = 2

  mutating func search(
    _ value: JSONValue, as meaning: MemberMeaning
  ) throws(TooManyReferences) {
    switch (value.kind, meaning) {
    case (_, .closed): break
    case (.string, _):
      // Texts are long: they aren't copied.
      guard meaning.readsStrings, !meaning.goesByForm || ReferenceHint.isIn(part: value),
        let text = value.string
      else { break }
      if let (id, kind) = meaning.object(namedBy: text) { try add(id, kind) }
    case (.array, _): try search(elementsOf: value, as: meaning)
    case (.object, .items): try search(item: value)
    case (.object, _):
      for member in value.members {
        let name = MemberMeaning.plainName(member.key.string ?? "")
        // Some readers take an object for the list of its keys.
        if meaning.isReference, let kind = ObjectKind(ofID: name) {
          try add(member.key.string ?? name, kind)
        }
        try search(member.value, as: meaning.meaning(ofMember: name))
      }
      if case .named(.file) = meaning { try noteSource(value) }
    default: break
    }
  }

  private mutating func search(
    elementsOf array: JSONValue, as meaning: MemberMeaning
  ) throws(TooManyReferences) {
    arrayDepth += 1
    defer { arrayDepth -= 1 }
    let usesHint = arrayDepth <= Self.deepestHint && !meaning.isReference
    for element in array.elements where !usesHint || ReferenceHint.isIn(part: element) {
      try search(element, as: meaning)
    }
  }

  /// Notes a reference, unless it is known already.
  mutating func add(_ id: String, _ kind: ObjectKind) throws(TooManyReferences) {
    let reference = ObjectReference(kind, id, at: place)
    guard !id.isEmpty, !reference.isName, seen.insert(reference).inserted else { return }
    guard found.count < TooManyReferences.limit else { throw TooManyReferences() }
    found.append(reference)
  }

  private mutating func search(item object: JSONValue) throws(TooManyReferences) {
    let item = ReplayedItem(object)
    for member in object.members {
      let name = MemberMeaning.plainName(member.key.string ?? "")
      switch name {
      case "id" where item.isReference: try search(member.value, as: .reference(.item))
      case ObjectReference.approval: try search(approval: member.value)
      // Search results are text for the model, and may come from files that are shared with the
      // app.
      case "results" where item.isFileSearch: break
      default: try search(member.value, as: MemberMeaning(ofName: name))
      }
    }
  }

  private mutating func search(approval value: JSONValue) throws(TooManyReferences) {
    let outer = place
    place = ObjectReference.approval
    defer { place = outer }
    try search(value, as: .reference(.item))
  }

  /// An evaluation can take all stored completions or responses of the account, by a query. No
  /// client owns all of them.
  private mutating func noteSource(_ source: JSONValue) throws(TooManyReferences) {
    for member in source.members where MemberMeaning.plainName(member.key.string ?? "") == "type" {
      let type = ObjectReference.sourceName(member.value.string ?? "")
      if let source = ObjectReference.sourcesOfAccount.first(where: {
        ObjectReference.sourceName($0) == type
      }) {
        try add(source, .completion)
      }
    }
  }
}

extension ObjectReference {
  /// Whether the id is a name that isn't one of an object: a skill that the provider brings along,
  /// such as `openai-spreadsheets`, or how a session's response goes into its conversation.
  fileprivate var isName: Bool {
    switch kind {
    // Nothing else is taken for a name: a provider may trim ` skill_1`, or read it in capitals.
    case .skill: id.utf8.allSatisfy(ObjectReference.isOfSkillName)
    case .conversation: id == "auto" || id == "none"
    // The provider's own connectors, such as `connector_gmail`.
    case .prompt:
      id.hasPrefix(connector)
        && id.utf8.dropFirst(connector.utf8.count).allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
    default: false
    }
  }
  private var connector: String { "connector_" }

  private static func isOfSkillName(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
  }
}

/// Tells quickly, by how strings and keys begin, that a value names no objects.
enum ReferenceHint {
  /// Whether a body may name objects.
  static func isIn(body root: JSONValue) -> Bool {
    // Most bodies with an `id` have those of tool calls, which the app and the model choose.
    root.contains(search) { groups in groups & 1 != 0 || groups == idInHolder }
  }

  /// Whether a part of a body may name objects.
  static func isIn(part value: JSONValue) -> Bool {
    value.contains(search) { groups in groups & 0b11 != 0 }
  }

  /// Names that refer to an object wherever they stand; an `id`; the members in which an `id` is
  /// that of an object.
  private static let search = JSONStringSearch(groups: [
    ["data_source", ObjectReference.approval]
      + (ObjectKind.forms + ObjectKind.formsOfAnswers).map(\.prefix) + IDText.trimmedBeginnings
      + MemberMeaning.references.keys,
    ["id"],
    MemberMeaning.holders,
  ])
  private static let idInHolder: JSONStringSearch.Groups = 0b110
}
