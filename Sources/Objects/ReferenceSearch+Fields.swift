import HTTP
import JSON

// Parts of forms and parameters of queries. Members of objects have names with brackets there:
// `file_ids[]`, `skills[0][skill_id]`.

extension ReferenceSearch {
  mutating func search(
    _ part: MultipartForm.Part, of body: [UInt8]
  ) throws(TooManyReferences) {
    let name = FieldPath(part.name)
    place = name.root
    // The content of a file is what is uploaded. A part with the name of a reference isn't one,
    // whatever its sender says of a filename.
    if part.isFile, !name.isReference { return }
    let content = body[part.content]
    let first = content.first { !$0.isWhiteSpace }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), name.mayBeID {
      // Some parts are JSON themselves.
      if let value = try? JSONParser().parse(content.span) {
        return try search(value, as: name.meaning)
      }
    }
    try add(String(decoding: content, as: UTF8.self), as: name)
  }

  mutating func search(
    parameter: String, value: String, list: ObjectEndpoint.List?
  ) throws(TooManyReferences) {
    let name = FieldPath(parameter)
    place = name.root
    if name.meaning != .closed { try add(ifOfKnownForm: parameter) }
    switch name.plainRoot {
    case "after", "before":
      if let list, list.hasRecordedElements {
        try add(value, list.kind)
      } else {
        try add(ifOfKnownForm: value)
      }
    case "include": try add(ifOfKnownForm: value)
    // A call of a realtime session.
    case "call_id": try add(value, .conversation)
    default: try add(value, as: name)
    }
  }

  private mutating func add(_ text: String, as name: FieldPath) throws(TooManyReferences) {
    try add(text, as: name.meaning)
  }

  /// Adds the object that a text names. Some servers decode a text twice.
  private mutating func add(
    _ text: String, as meaning: MemberMeaning
  ) throws(TooManyReferences) {
    let object =
      meaning.object(namedBy: text)
      ?? (meaning.goesByForm ? meaning.object(namedBy: IDText.unescaped(text)) : nil)
    if let (id, kind) = object { try add(id, kind) }
  }

  private mutating func add(ifOfKnownForm text: String) throws(TooManyReferences) {
    try add(text, as: .unknown)
  }
}

/// The name of a part or parameter, which may lead into objects and lists by brackets.
private struct FieldPath {
  /// As far as the first bracket.
  let root: String
  let plainRoot: String
  let meaning: MemberMeaning

  init(_ name: String) {
    let steps = name.split(separator: "[", omittingEmptySubsequences: false)
    root = String(steps[0])
    plainRoot = MemberMeaning.plainName(root)
    meaning = steps.dropFirst().reduce(MemberMeaning(ofName: plainRoot)) { meaning, step in
      let key = MemberMeaning.plainName(String(step.prefix { $0 != "]" }))
      // An element of a list means what the list does.
      return meaning == .closed || key.utf8.allSatisfy(UInt8.isDigit)
        ? meaning : meaning.meaning(ofMember: key)
    }
  }

  /// Whether a string of this name is an id if it has the form of one.
  var mayBeID: Bool { meaning.readsStrings }

  /// Whether a string of this name is an id, whatever its form.
  var isReference: Bool { meaning.isReference }
}

extension UInt8 {
  fileprivate static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Of JSON.
  fileprivate var isWhiteSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
  }
}
