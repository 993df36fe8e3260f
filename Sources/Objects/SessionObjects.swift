public import JSON

/// The items and responses of one realtime session, by their ids.
///
/// A session keeps its own items, so the ledger doesn't have them. An event may name an item or a
/// response that the provider has shown in the session, or an item to which the client itself has
/// given the id.
///
/// Example: the provider sends `conversation.item.added` with the item `item_1`. The client may
/// then delete `item_1`.
public struct SessionObjects: Sendable {
  private var ids: Set<String> = []
  /// The ids in the order in which they came, as a ring.
  private var order: [String] = []
  private var oldest = 0

  /// The most ids that are remembered. One more takes the place of the oldest.
  public static let mostIDs = 20_000

  public init() {}

  /// Whether a reference is to an item or a response of this session.
  public func contains(_ reference: ObjectReference) -> Bool {
    switch reference.kind {
    case .item, .response: ids.contains(reference.id)
    default: false
    }
  }

  /// Remembers the ids that the client has given to its items.
  public mutating func note(given ids: [String]) {
    for id in ids { remember(id) }
  }

  /// Remembers the ids that an event of the provider's shows.
  ///
  /// Only the provider's own members are read: a client can choose the names of other members, such
  /// as those of a tool's parameters.
  public mutating func note(shownIn event: JSONValue) {
    for member in event.members {
      if member.hasKey("item_id") || member.hasKey("response_id") {
        remember(member.value)
      } else if member.hasKey("item") {
        remember(member.value["id"])
      } else if member.hasKey("response") {
        remember(member.value["id"])
        if let output = member.value["output"] {
          for item in output.elements { remember(item["id"]) }
        }
      }
    }
  }

  private mutating func remember(_ value: JSONValue?) {
    guard let value, let length = value.utf8Count, length <= MadeObject.longestID,
      let id = value.string
    else { return }
    remember(id)
  }

  private mutating func remember(_ id: String) {
    guard ids.insert(id).inserted else { return }
    guard order.count == SessionObjects.mostIDs else { return order.append(id) }
    ids.remove(order[oldest])
    order[oldest] = id
    oldest = (oldest + 1) % SessionObjects.mostIDs
  }
}

extension ObjectReferences {
  /// The objects that an event of a client's in a session names. Items and responses may be the
  /// session's own: see `SessionObjects`.
  ///
  /// - Throws: `TooManyReferences` if the event names more objects than are looked up.
  public static func inSessionEvent(
    _ root: JSONValue
  ) throws(TooManyReferences) -> [ObjectReference] {
    // Most events are sound, and name nothing.
    if isSound(root), !ReferenceHint.isIn(body: root) { return [] }
    return try search(root) { key in
      switch MemberMeaning.plainName(key) {
      case "item": .items
      case "item_id", "previous_item_id": .reference(.item)
      default: MemberMeaning(ofKey: key)
      }
    }.filter { !$0.isBeginning }
  }

  /// The ids that an event of a client's gives to the items that it brings along.
  ///
  /// - Throws: `TooManyReferences` for more ids than are looked up.
  public static func idsGiven(
    inSessionEvent root: JSONValue
  ) throws(TooManyReferences) -> [String] {
    guard !isSound(root) else { return [] }
    var ids: [String] = []
    if let item = root["item"] { ids = ItemIDs.ofItem(item, .whole) }
    if let response = root["response"] { ids += try ItemIDs.inBody(response, .whole) }
    return ids
  }

  private static func isSound(_ root: JSONValue) -> Bool {
    root["type"]?.isString("input_audio_buffer.append") ?? false
  }
}

extension ObjectReference {
  /// Whether it is the name for the place before a conversation's first item.
  fileprivate var isBeginning: Bool { place == "previous_item_id" && id == "root" }
}
