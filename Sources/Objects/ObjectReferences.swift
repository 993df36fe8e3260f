public import HTTP
public import JSON

/// A place in a request that names an object of the provider's.
public struct ObjectReference: Hashable, Sendable {
  public let kind: ObjectKind
  /// The place of the item that the answer to a tool's question for approval names.
  static let approval = "approval_request_id"

  /// As the request spells it; not empty.
  public let id: String
  /// The member, parameter or part that names it, as `param` of an error has it, such as
  /// `previous_response_id` or `input`; nil for a segment of the path.
  public let place: String?

  public init(_ kind: ObjectKind, _ id: String, at place: String? = nil) {
    self.kind = kind
    self.id = id
    self.place = place
  }
}

extension ObjectReference {
  /// Whether it is the question for approval that an item of a body answers. If the same body
  /// brings the question along, a provider that keeps nothing for the request needs no other.
  public var isApproval: Bool { kind == .item && place == ObjectReference.approval }

  /// Whether it stands for all stored completions or responses of the account, which an evaluation
  /// takes by a query.
  public var isWholeAccount: Bool {
    kind == .completion && ObjectReference.sourcesOfAccount.contains(id)
  }

  /// The types of an evaluation's sources that aren't a file.
  static let sourcesOfAccount: Set<String> = ["stored_completions", "responses", "logs"]

  /// The type of a source as a lenient reader compares it: in lower case, without spaces and
  /// joining marks.
  static func sourceName(_ type: String) -> String {
    IDText.trimmed(MemberMeaning.plainName(type)).filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}

/// A request names more objects than are looked up.
public struct TooManyReferences: Error, Hashable {
  /// The most objects that a body may name; each is looked up.
  public static let limit = 4096
}

/// Finds the objects that requests name, wherever they name them.
public enum ObjectReferences {
  /// The objects that a JSON body names, each once; empty for most requests, which is found out
  /// without looking at more than the beginnings of strings.
  ///
  /// Texts, and items that an app sends back whole, name none.
  ///
  /// - Throws: `TooManyReferences` if the request names more objects than are looked up.
  public static func inBody(_ root: JSONValue) throws(TooManyReferences) -> [ObjectReference] {
    guard ReferenceHint.isIn(body: root) else { return [] }
    return try search(root)
  }

  /// The objects that the parts of a form name.
  ///
  /// - Throws: `TooManyReferences` if the request names more objects than are looked up.
  public static func inForm(
    _ form: MultipartForm, of body: [UInt8]
  ) throws(TooManyReferences) -> [ObjectReference] {
    var search = ReferenceSearch()
    for part in form.parts { try search.search(part, of: body) }
    return search.found
  }

  /// The objects that a query names, such as the cursor of a list.
  ///
  /// - Parameter list: what the request's endpoint lists, if it lists anything. A cursor of a list
  ///   whose elements aren't recorded names none.
  /// - Throws: `TooManyReferences` if the request names more objects than are looked up.
  public static func inQuery(
    _ query: String?, list: ObjectEndpoint.List?
  ) throws(TooManyReferences) -> [ObjectReference] {
    guard let query else { return [] }
    var search = ReferenceSearch()
    // Some servers take a semicolon for an ampersand.
    for parameter in query.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
      let name = parameter.prefix { $0 != "=" }
      try search.search(
        parameter: decoded(name), value: decoded(parameter.dropFirst(name.count + 1)), list: list)
    }
    return search.found
  }

  /// The ids that a body gives to what it sends: every text that is an `id`, wherever it stands. A
  /// provider may show them again in its answer.
  public static func idsGiven(in root: JSONValue) -> Set<String> {
    var ids: Set<String> = []
    gather(root, into: &ids)
    return ids
  }

  private static func gather(_ value: JSONValue, into ids: inout Set<String>) {
    for element in value.elements { gather(element, into: &ids) }
    for member in value.members {
      if member.value.kind != .string {
        gather(member.value, into: &ids)
      } else if MemberMeaning.plainName(member.key.string ?? "") == "id" {
        if let id = member.value.string { ids.insert(id) }
      }
    }
  }

  /// The decoded text of a query; the text itself if its escapes are broken.
  private static func decoded(_ text: Substring) -> String {
    PercentEncoding.decode(text, plusIsSpace: true) ?? String(text)
  }

  /// - Parameter meaning: the meaning of a member of the root, by its key.
  static func search(
    _ root: JSONValue, meaning: (String) -> MemberMeaning = MemberMeaning.init(ofKey:)
  ) throws(TooManyReferences) -> [ObjectReference] {
    var search = ReferenceSearch()
    guard root.kind == .object else {
      try search.search(root, as: .unknown)
      return search.found
    }
    for member in root.members {
      let key = member.key.string ?? ""
      search.place = key
      try search.search(member.value, as: meaning(key))
    }
    return search.found
  }
}
