internal import HTTP
internal import HTTPServer
internal import JSON
internal import Metering
internal import Objects
internal import Pricing

/// The body of a request that costs nothing, and the objects that the request names: in its path,
/// its query and its body.
struct FreeContent {
  private(set) var body: [UInt8]
  /// Whether the body was read as JSON, so that the provider is told that it is.
  let isJSON: Bool
  /// All of them but the parts of the object in the path.
  let references: [ObjectReference]
  /// The models that the request asks for, in its path, its query and its body; none where the key
  /// may ask for all.
  let models: NamedModels
  /// The object in the path, and parts of it that the request names: in its path behind the object,
  /// and by the cursor of a list of the object's parts. A client that may use a shared object may
  /// use its parts.
  let whole: ObjectReference?
  let parts: [ObjectReference]
  /// Every id in the request, also of what it sends and doesn't refer to. An answer that shows one
  /// of them has not made it.
  let namedIDs: Set<String>
  /// The ids that the request gives to items which the provider keeps; see `ItemIDs`.
  let itemIDs: [String]

  /// - Throws: 400 for a body that can't be searched, and for one that names too many objects.
  init(_ body: [UInt8], of forwarded: UnmeteredForwarding) throws(Refusal) {
    self.body = body
    let head = forwarded.pipeline.exchange.head
    let path = FreeContent.references(method: head.method.name, path: forwarded.path)
    let list = forwarded.endpoint?.list
    var parts = forwarded.endpoint == nil ? [] : Array(path.dropFirst())
    var references = Array(path.dropLast(parts.count))
    var namedIDs: Set<String> = []
    var itemIDs: [String] = []
    var isJSON = false
    let form = try FreeContent.read(
      body, contentType: head.fields.first(.contentType) ?? "", isKnown: forwarded.endpoint != nil,
      parser: forwarded.pipeline.resources.parser)
    models = try FreeContent.models(in: form, of: body, head, path: forwarded.path)
    do throws(TooManyReferences) {
      let query = try ObjectReferences.inQuery(head.query, list: list)
      let isCursor = { list?.isWithinOwner == true && FreeContent.isCursor($0) }
      parts += query.filter(isCursor)
      references += ObjectReferences.inFields(head.fields)
      references += query.filter { !isCursor($0) }
      switch form {
      case .opaque: break
      case .form(let form):
        references += try ObjectReferences.inForm(form, of: body)
      case .query(let text): references += try ObjectReferences.inQuery(text, list: nil)
      case .json(let root):
        isJSON = root.kind == .object
        references += try ObjectReferences.inBody(root)
        if forwarded.endpoint?.makes.contains(where: { $0.kind == .item }) == true {
          namedIDs = ObjectReferences.idsGiven(in: root)
        }
        if forwarded.endpoint?.keepsItems == true { itemIDs = try ItemIDs.inBody(root) }
      }
    } catch {
      throw .unreadable(.tooManyReferences)
    }
    self.isJSON = isJSON
    self.references = references
    whole = path.first
    self.parts = parts
    self.namedIDs = namedIDs.union((references + parts).map(\.id))
    self.itemIDs = itemIDs
  }

  /// Leaves ids of items out of the body.
  mutating func leaveOut(
    _ foreignItemIDs: Set<String>, parser: JSONParser
  ) throws(Refusal) {
    guard !foreignItemIDs.isEmpty else { return }
    var edits = TextEdits()
    do {
      guard let root = JSONLocatedObject(root: try parser.parse(body)) else { return }
      ItemIDs.leaveOut(foreignItemIDs, of: root, &edits)
    } catch {
      throw .unreadable(.notJSON(error))
    }
    body = edits.applied(to: body)
  }

  private static func isCursor(_ reference: ObjectReference) -> Bool {
    ["after", "before"].contains(reference.place?.lowercased())
  }

  // MARK: Models

  /// The models that the request names, wherever it names them: what it is for isn't known.
  ///
  /// - Throws: 400 for the name of a model that is too long, and for a member that redirects the
  ///   request.
  private static func models(
    in form: Form, of body: [UInt8], _ head: RequestHead, path: String
  ) throws(Refusal) -> NamedModels {
    var models = NamedModels()
    do throws(MeteringError) {
      try models.search(path: path)
      try search(query: head.query ?? "", for: &models)
      switch form {
      case .opaque: break
      case .form(let form): try models.search(form, of: body)
      case .query(let text): try search(query: text, for: &models)
      case .json(let root): try models.search(root)
      }
    } catch {
      throw .unreadable(error)
    }
    return models
  }

  private static func search(
    query: String, for models: inout NamedModels
  ) throws(MeteringError) {
    for parameter in query.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
      let name = parameter.prefix { $0 != "=" }
      let value = parameter.dropFirst(name.count + 1)
      try models.search(
        text: PercentEncoding.decode(value, plusIsSpace: true) ?? String(value),
        name: PercentEncoding.decode(name, plusIsSpace: true) ?? String(name))
    }
  }

  /// Checks that the key may ask for the models that the request names.
  ///
  /// The endpoint that counts a response's input has the rules of the response: the key must be one
  /// for responses, and for the models of its tools, too.
  func check(_ identity: Identity, path: String, parser: JSONParser) throws(Refusal) {
    try identity.check(models, for: nil)
    guard path == Endpoints.inputTokens else { return }
    try identity.check(.responses)
    // Only then the body has to say by which model.
    guard identity.isLimited else { return }
    let facts: RequestFacts
    do throws(MeteringError) {
      facts = try RequestFacts.read(body, endpoint: Endpoints.responses, parser: parser)
    } catch {
      throw .unreadable(error)
    }
    try identity.check(facts)
  }

  // MARK: The path

  /// The objects that a path names.
  ///
  /// In a path that isn't in the table, each segment with the form of an id is one. The entries of
  /// other methods are used too: `HEAD /v1/chat/completions/ID` shows whether there is one.
  static func references(method: String, path: String) -> [ObjectReference] {
    if let match = ObjectEndpoints.match(method: method, path: path) { return match.references }
    var references = path.split(separator: "/").compactMap { segment in
      ObjectKind(ofID: segment).map { ObjectReference($0, String(segment)) }
    }
    for other in ["GET", "POST", "DELETE"] {
      for reference in ObjectEndpoints.match(method: other, path: path)?.references ?? []
      where !references.contains(where: { $0.id == reference.id }) {
        references.append(reference)
      }
    }
    return references
  }

  // MARK: The body

  private enum Form {
    case json(JSONValue)
    case form(MultipartForm)
    /// `application/x-www-form-urlencoded`, which is written like a query.
    case query(String)
    /// Neither, which only a path that an operator has opened may have.
    case opaque
  }

  /// - Parameter isKnown: whether the endpoint is in the table: all of those have JSON or forms.
  private static func read(
    _ body: [UInt8], contentType: String, isKnown: Bool, parser: JSONParser
  ) throws(Refusal) -> Form {
    if body.isEmpty { return .opaque }
    if MultipartForm.isFormType(contentType) {
      do { return .form(try MultipartForm(body, contentType: contentType)) } catch {
        throw .unreadable(.notAForm(error))
      }
    }
    if !isKnown, isOtherType(contentType), !looksLikeJSON(body) {
      let isQuery = contentType.lowercased().hasPrefix("application/x-www-form-urlencoded")
      return isQuery ? .query(String(decoding: body, as: UTF8.self)) : .opaque
    }
    do { return .json(try parser.parse(body)) } catch { throw .unreadable(.notJSON(error)) }
  }

  /// Whether a media type is given that isn't JSON's.
  private static func isOtherType(_ contentType: String) -> Bool {
    !contentType.isEmpty && !contentType.lowercased().contains("json")
  }

  /// Whether a lenient server could take a body for JSON, whatever its type: after spaces and a
  /// byte order mark an object or an array begins.
  static func looksLikeJSON(_ body: [UInt8]) -> Bool {
    let skipped: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0]
    let first = body.first { !skipped.contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
