internal import JSON

/// An object in a list, as the provider has written it.
struct ListElement: Hashable {
  let id: String
  let json: [UInt8]
  /// When the provider has made it, in seconds since 1970; nil where the object doesn't say.
  let createdAt: Int64?
}

extension ListElement {
  /// An object that was read by its id; nil for anything but an object with that id.
  init?(_ root: JSONValue, of id: String, in body: [UInt8]) {
    guard root.kind == .object, ListElement.id(of: root) == id else { return nil }
    self.init(id: id, json: body, createdAt: ListElement.createdAt(of: root))
  }

  /// The id of an object; nil without one, and for an object that has several: clients differ in
  /// which of them they read.
  fileprivate static func id(of object: JSONValue) -> String? {
    let ids = object.members.filter { $0.key.isString("id") }
    return ids.count == 1 ? ids.first?.value.string : nil
  }

  /// Chat completions have `created`, all others `created_at`.
  fileprivate static func createdAt(of object: JSONValue) -> Int64? {
    (object["created_at"] ?? object["created"])?.integer
  }
}

/// The members that a provider's list has besides its elements.
///
/// Lists of OpenAI have all of them, those of Groq only `object`. Other members aren't taken over,
/// since they could tell of objects that the client must not see, such as their number.
struct ListForm: Hashable {
  let object: String?
  let hasFirstID: Bool
  let hasLastID: Bool
  /// Whether the list has pages.
  let hasPages: Bool

  init(_ root: JSONValue) {
    object = root["object"]?.string
    hasFirstID = root["first_id"] != nil
    hasLastID = root["last_id"] != nil
    hasPages = root["has_more"] != nil
  }

  /// The list that the client gets.
  func list(of elements: [ListElement], hasMore: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { list in
      if let object { list.member("object", object) }
      list.member("data") { data in
        data.array { array in
          for element in elements { array.raw(element.json) }
        }
      }
      if hasFirstID { list.member("first_id", elements.first?.id) }
      if hasLastID { list.member("last_id", elements.last?.id) }
      if hasPages { list.member("has_more", hasMore) }
    }
    return writer.bytes
  }
}

/// A page of everybody's objects, as the provider sends it.
struct ListPage {
  private struct Entry {
    let id: String
    let range: Range<Int>
    let createdAt: Int64?
  }

  let form: ListForm
  /// Whether the provider has more objects behind this page; false for a list without pages.
  let hasMore: Bool
  private let body: [UInt8]
  private let entries: [Entry]

  /// Nil for anything but a list.
  init?(_ body: [UInt8], parser: JSONParser) {
    guard let root = try? parser.parse(body), let list = JSONLocatedObject(root: root),
      let data = list.member("data"), data.value.kind == .array
    else { return nil }
    var entries: [Entry] = []
    data.forEachObject { object in
      // Without an id it can't be told whose an object is.
      guard let id = ListElement.id(of: object.value) else { return }
      entries.append(
        Entry(
          id: id, range: object.range, createdAt: ListElement.createdAt(of: object.value)))
    }
    form = ListForm(root)
    hasMore = root["has_more"]?.boolean ?? false
    self.body = body
    self.entries = entries
  }

  /// The ids of all objects, in the order of the page.
  var ids: [String] { entries.map(\.id) }

  /// The objects with one of these ids, in the order of the page.
  func elements(with ids: Set<String>) -> [ListElement] {
    entries.filter { ids.contains($0.id) }.map { entry in
      ListElement(id: entry.id, json: Array(body[entry.range]), createdAt: entry.createdAt)
    }
  }

  /// The order that the page shows; nil where its objects don't tell.
  var shownOrder: ListQuery.Order? {
    guard let first = entries.first?.createdAt, let last = entries.last?.createdAt, first != last
    else { return nil }
    return first < last ? .ascending : .descending
  }
}

extension ListPage {
  /// Whether the body of an error shows no objects: a text, or JSON without a list of objects that
  /// have ids.
  static func isError(_ body: [UInt8], parser: JSONParser) -> Bool {
    guard let root = try? parser.parse(body) else {
      return !FreeContent.looksLikeJSON(body)
    }
    return !listsObjects(root)
  }

  private static func listsObjects(_ value: JSONValue) -> Bool {
    value.members.contains { listsObjects($0.value) }
      || value.elements.contains { $0["id"] != nil || listsObjects($0) }
  }
}
