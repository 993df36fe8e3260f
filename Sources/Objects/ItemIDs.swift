public import JSON

/// The ids that a body gives to the items in it: `input: [{"id": "msg_1", …}]`.
///
/// A provider keeps an item under the id that the request gives to it, and lists show it then. So
/// an id that isn't the client's own must not reach a provider that keeps the item: otherwise a
/// client could get hold of any id that nobody has, and find out which ids other clients have. The
/// content of such an item is all that the provider needs.
///
/// Example: an app sends back `{"type": "message", "id": "msg_1", "content": …}`, and Catraca
/// doesn't know `msg_1`. The provider gets `{"type": "message", "content": …}`, and makes an id.
public enum ItemIDs {
  /// Which items of a body are meant.
  public enum Choice: Sendable {
    case all
    /// Calls of the provider's own tools without what came of them. Example: a search in files
    /// with its queries alone.
    case callsWithoutResults
    /// Those that bring their content along.
    case whole
  }

  /// The ids of items in a body, each once.
  ///
  /// - Throws: `TooManyReferences` for more ids than are looked up.
  public static func inBody(
    _ root: JSONValue, _ choice: Choice = .all
  ) throws(TooManyReferences) -> [String] {
    var ids: [String] = []
    var seen: Set<String> = []
    for list in root.members where isList(list.key.string) {
      for item in list.value.elements {
        for id in ofItem(item, choice) where seen.insert(id).inserted {
          guard ids.count < TooManyReferences.limit else { throw TooManyReferences() }
          ids.append(id)
        }
      }
    }
    return ids
  }

  /// The ids of an item, of which it may have several; none for an item that isn't meant.
  static func ofItem(_ item: JSONValue, _ choice: Choice) -> [String] {
    guard choice.includes(item) else { return [] }
    var ids: [String] = []
    for member in item.members where isID(member.key.string) {
      if let id = member.value.string { ids.append(id) }
    }
    return ids
  }

  /// Plans to leave out these ids of items. An id of an item that has several becomes null.
  ///
  /// - Parameter ids: at most as many as `inBody` finds.
  public static func leaveOut(
    _ ids: Set<String>, of root: JSONLocatedObject, _ edits: inout TextEdits
  ) {
    root.forEachMember { list in
      guard isList(list.key) else { return }
      list.forEachObject { item in
        var found: [JSONLocatedMember] = []
        item.forEachMember { member in
          if isID(member.key) { found.append(member) }
        }
        for member in found {
          guard let id = member.value.string, ids.contains(id) else { continue }
          if found.count == 1 {
            edits.replace(member.removal, with: "")
          } else {
            edits.replace(member.valueRange, with: "null")
          }
        }
      }
    }
  }

  private static func isList(_ key: String?) -> Bool {
    let name = MemberMeaning.plainName(key ?? "")
    return name == "input" || name == "items"
  }

  private static func isID(_ key: String?) -> Bool {
    MemberMeaning.plainName(key ?? "") == "id"
  }
}

extension ItemIDs.Choice {
  fileprivate func includes(_ item: JSONValue) -> Bool {
    switch self {
    case .all: true
    case .callsWithoutResults: item.kind == .object && ReplayedItem(item).lacksResult
    case .whole: item.kind == .object && !ReplayedItem(item).isReference
    }
  }
}
