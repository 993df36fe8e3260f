public import HTTP

extension ObjectReferences {
  /// The objects that header fields name; empty for most requests, which is found out by a few
  /// bytes of each field.
  ///
  /// A field names an object if its name is that of a member that does, behind `X-` or a provider's
  /// name, and if its value has a known form of an id. Examples: `X-Response-Id: resp_1`
  /// and `OpenAI-File-Id: file-1` name objects. `X-Request-Id: batch_7` doesn't, because apps
  /// choose such values.
  public static func inFields(_ fields: HeaderFields) -> [ObjectReference] {
    var found: [ObjectReference] = []
    fields.forEach { name, value in
      guard mayNameObject(name), mayBeID(value) else { return }
      if let reference = reference(text(name), text(value)) { found.append(reference) }
    }
    return found
  }

  private static func reference(_ name: String, _ value: String) -> ObjectReference? {
    guard let kind = ObjectKind(ofAnyID: value) else { return nil }
    let member = memberName(of: name)
    let names = [member, member.hasSuffix("_id") ? String(member.dropLast(3)) : member]
    guard names.contains(where: { MemberMeaning(ofName: $0).isReference }) else { return nil }
    return ObjectReference(kind, value, at: name)
  }

  /// The name of a field as a body would have it: `previous_response_id` for
  /// `X-Previous-Response-Id`.
  private static func memberName(of field: String) -> String {
    var name = Substring(String(MemberMeaning.plainName(field).map { $0 == "-" ? "_" : $0 }))
    for beginning in ["x_", "openai_", "groq_"] where name.hasPrefix(beginning) {
      name = name.dropFirst(beginning.count)
    }
    return String(name)
  }

  /// Whether a name may begin with `X-`, `OpenAI-` or `Groq-`.
  private static func mayNameObject(_ name: Span<UInt8>) -> Bool {
    guard name.count > 7 else { return false }
    return switch name[0] | 0x20 {
    case UInt8(ascii: "x"): name[1] == UInt8(ascii: "-")
    case UInt8(ascii: "o"): name[6] == UInt8(ascii: "-")
    case UInt8(ascii: "g"): name[4] == UInt8(ascii: "-")
    default: false
    }
  }

  /// Whether a value has, near its beginning, the mark that ends the beginning of each form of ids.
  private static func mayBeID(_ value: Span<UInt8>) -> Bool {
    for index in 2..<max(2, min(value.count, longestBeginning)) {
      switch value[index] {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"): return true
      default: continue
      }
    }
    return false
  }

  private static let longestBeginning = 12

  private static func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
