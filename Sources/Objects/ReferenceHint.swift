import JSON

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

  /// What names an object wherever it stands; an `id`; the members in which an `id` is that of an
  /// object.
  private static let search = JSONStringSearch(groups: [
    ["data_source"] + ObjectKind.forms.map(\.prefix) + MemberMeaning.references.keys,
    ["id"],
    MemberMeaning.holders,
  ])
  private static let idInHolder: JSONStringSearch.Groups = 0b110
}
