import HTTP
import JSON
import Objects

/// The objects that requests and answers name. The first line of an input is `body`, `query`, or
/// the content type of a form.
enum NamedObjects {
  static func check(_ input: [UInt8]) {
    let (line, body) = headed(input)
    switch line {
    case "body": checkBody(body)
    case "query":
      checkReferences {
        try ObjectReferences.inQuery(
          String(decoding: body, as: UTF8.self),
          list: ObjectEndpoints.all.lazy.compactMap(\.list).first)
      }
    default:
      guard let form = try? MultipartForm(body, contentType: line) else { return }
      checkReferences { try ObjectReferences.inForm(form, of: body) }
    }
  }

  private static func checkBody(_ body: [UInt8]) {
    let parser = JSONParser()
    guard let root = try? parser.parse(body) else { return }
    for object in MadeObjects.inAnswer(root, at: ObjectEndpoints.madeWithResponse) {
      require(MadeObject.isRecordable(object.id), "only ids are recorded")
    }
    let found = checkReferences { try ObjectReferences.inBody(root) }
    let inSession = checkReferences { try ObjectReferences.inSessionEvent(root) }
    if let found, let inSession {
      let named = Set(inSession)
      for reference in found where reference.kind != .item && !isAtItem(reference) {
        require(named.contains(reference), "an event names what a body names")
      }
    }
    // A member that means nothing, but begins as a reference does, has everything searched.
    guard let start = JSONLocatedObject(root: root)?.start,
      root.members.contains(where: { _ in true })
    else { return }
    let searched = body[..<start] + Array(#""file-":0,"#.utf8) + body[start...]
    guard let root = try? parser.parse(Array(searched)) else { return }
    require(
      checkReferences { try ObjectReferences.inBody(root) } == found, "nothing is passed over")
  }

  /// Whether it stands in a member that means something else in an event of a session.
  private static func isAtItem(_ reference: ObjectReference) -> Bool {
    let place = reference.place?.lowercased() ?? ""
    return place.hasPrefix("item") || place.hasPrefix("previous_item_id")
  }

  /// Nil where there are too many.
  @discardableResult
  private static func checkReferences(
    _ find: () throws -> [ObjectReference]
  ) -> [ObjectReference]? {
    guard let references = try? find() else { return nil }
    require(references.count <= TooManyReferences.limit, "references are limited")
    require(Set(references).count == references.count, "an object is found once")
    require(references.allSatisfy { !$0.id.isEmpty }, "an object has an id")
    return references
  }
}
