internal import HTTP
internal import JSON
internal import Metering
internal import Objects

/// The query of a request for a list.
///
/// Example: `?purpose=batch&limit=10&order=asc&after=file-1`.
struct ListQuery {
  /// A parameter of a query, decoded.
  struct Parameter: Hashable {
    let name: String
    let value: String
  }

  enum Order: String {
    case ascending = "asc"
    case descending = "desc"

    var reversed: Order { self == .ascending ? .descending : .ascending }
  }

  /// Where a page begins.
  enum Start: Hashable {
    case beginning
    /// Behind the object with this id.
    case after(String)
    /// Before the object with this id, toward the beginning of the list.
    case before(String)

    var isBackward: Bool { if case .before = self { true } else { false } }

    var id: String? {
      switch self {
      case .beginning: nil
      case .after(let id), .before(let id): id
      }
    }
  }

  let list: ObjectEndpoint.List
  /// How many elements the client wants at most, at least 1.
  let limit: Int
  /// As it was sent; nil without one, when the provider has its own.
  let sentOrder: String?
  let start: Start
  /// The parameters that narrow the list.
  let filters: [Parameter]

  /// - Throws: 400, as the provider answers a limit out of range; 400 also for a query that servers
  ///   could read in two ways.
  init(_ query: String?, of list: ObjectEndpoint.List) throws(Refusal) {
    var single: [String: String] = [:]
    var filters: [Parameter] = []
    for parameter in try ListQuery.parameters(of: query) {
      let isBefore = parameter.name == "before" && ListQuery.kindsWithBefore.contains(list.kind)
      guard isBefore || ListQuery.paging.contains(parameter.name) else {
        filters.append(parameter)
        continue
      }
      guard single.updateValue(parameter.value, forKey: parameter.name) == nil else {
        throw .listQuery(.repeated(parameter.name))
      }
    }
    self.list = list
    self.filters = filters
    limit = try ListQuery.limit(single["limit"], of: list)
    sentOrder = single["order"]
    if let after = single["after"], !after.isEmpty {
      start = .after(after)
    } else if let before = single["before"], !before.isEmpty {
      start = .before(before)
    } else {
      start = .beginning
    }
  }

  private static let paging: Set<String> = ["limit", "order", "after"]
  /// The lists that go backward, too. The others ignore `before`.
  private static let kindsWithBefore: Set<ObjectKind> = [.vectorStore]

  private static func parameters(of query: String?) throws(Refusal) -> [Parameter] {
    var parameters: [Parameter] = []
    for piece in (query ?? "").split(separator: "&") {
      let name = piece.prefix { $0 != "=" }
      guard let decodedName = PercentEncoding.decode(name, plusIsSpace: true),
        let value = PercentEncoding.decode(
          piece.dropFirst(name.count + 1), plusIsSpace: true)
      else { throw .listQuery(.notDecodable) }
      parameters.append(Parameter(name: decodedName, value: value))
    }
    return parameters
  }

  private static func limit(
    _ text: String?, of list: ObjectEndpoint.List
  ) throws(Refusal) -> Int {
    guard let text else { return list.usualLimit }
    // `Int` alone would read "+5".
    guard !text.hasPrefix("+"), let limit = Int(text) else {
      throw .listQuery(.limitNotInteger)
    }
    guard limit >= 1 else { throw .listQuery(.limitTooSmall(limit)) }
    guard limit <= list.largestLimit else {
      throw .listQuery(.limitTooLarge(limit, most: list.largestLimit))
    }
    return limit
  }

  // MARK: Asking the provider

  /// The query for one page of everybody's objects.
  ///
  /// Every name and value is escaped anew, so that the provider can't read other parameters than
  /// Catraca does.
  func text(from start: Start, size: Int) -> String {
    var parameters = [Parameter(name: "limit", value: "\(size)")]
    if let sentOrder { parameters.append(Parameter(name: "order", value: sentOrder)) }
    switch start {
    case .beginning: break
    case .after(let id): parameters.append(Parameter(name: "after", value: id))
    case .before(let id): parameters.append(Parameter(name: "before", value: id))
    }
    return ListQuery.text(of: parameters + filters)
  }

  /// The query for a list without pages; nil without filters.
  var filterText: String? { filters.isEmpty ? nil : ListQuery.text(of: filters) }

  private static func text(of parameters: [Parameter]) -> String {
    parameters.map { parameter in
      "\(PercentEncoding.encode(parameter.name))=\(PercentEncoding.encode(parameter.value))"
    }.joined(separator: "&")
  }

  // MARK: Narrowing

  /// The first parameter by which `matches` can't narrow the list; nil if it can by all.
  var unknownFilter: String? {
    filters.first { !isKnown($0.name) }?.name
  }

  private func isKnown(_ name: String) -> Bool {
    switch list.kind {
    case .file: name == "purpose"
    case .completion: name == "model" || ListQuery.metadataKey(name) != nil
    case .container: name == "name"
    case .fineTuningJob: ListQuery.metadataKey(name) != nil
    default: false
    }
  }

  /// Whether an object passes all filters.
  func matches(_ object: JSONValue) -> Bool {
    filters.allSatisfy { filter in
      if let key = ListQuery.metadataKey(filter.name) {
        return ListQuery.member(key, of: ListQuery.member("metadata", of: object))?
          .isString(filter.value) ?? false
      }
      return ListQuery.member(filter.name, of: object)?.isString(filter.value) ?? false
    }
  }

  private static func member(_ key: String, of object: JSONValue?) -> JSONValue? {
    object?.members.first { $0.key.isString(key) }?.value
  }

  /// The key that `metadata[KEY]` names; nil for any other name.
  private static func metadataKey(_ name: String) -> String? {
    let prefix = "metadata["
    guard name.hasPrefix(prefix), name.hasSuffix("]") else { return nil }
    return String(name.dropFirst(prefix.count).dropLast())
  }
}

/// Why Catraca doesn't ask a provider for a list.
enum ListQueryFault: Hashable {
  case limitNotInteger
  case limitTooSmall(Int)
  case limitTooLarge(Int, most: Int)
  case repeated(String)
  /// A broken escape, or bytes that aren't UTF-8.
  case notDecodable
  /// The client's objects must be found one by one, and Catraca can't narrow them by this.
  case unknownFilter(String)
}

extension RefusalAnswer {
  /// A wrong limit is answered as OpenAI answers it.
  static func listQuery(_ fault: ListQueryFault) -> RefusalAnswer {
    let type = "invalid_request_error"
    switch fault {
    case .limitNotInteger:
      return RefusalAnswer(
        400, type, "invalid_type",
        "Invalid type for 'limit': expected an integer, but got a string instead.",
        param: "limit")
    case .limitTooSmall(let limit):
      return RefusalAnswer(
        400, type, "integer_below_min_value",
        "Invalid 'limit': integer below minimum value. Expected a value >= 1, "
          + "but got \(limit) instead.", param: "limit")
    case .limitTooLarge(let limit, let most):
      return RefusalAnswer(
        400, type, "integer_above_max_value",
        "Invalid 'limit': integer above maximum value. Expected a value <= \(most), "
          + "but got \(limit) instead.", param: "limit")
    case .repeated(let name):
      return RefusalAnswer(
        400, type, "invalid_query", "The query may have the parameter '\(name)' only once.",
        param: name)
    case .notDecodable:
      return RefusalAnswer(
        400, type, "invalid_query",
        "The query has an escape that can't be decoded. Write escapes as '%' and two hexadecimal "
          + "digits of UTF-8.")
    case .unknownFilter(let name):
      return RefusalAnswer(
        400, type, "unsupported_parameter",
        "This list is too long to be narrowed by '\(name)'. Leave the parameter out.",
        param: name)
    }
  }
}
