/// Tells which paths are safe to open for clients that don't trust each other.
public enum OpenedPaths {
  /// Whether clients see nothing of each other behind a path.
  ///
  /// Example: `/v1/vector_stores*` is safe, because all its endpoints are in the table.
  /// `/v1/threads*` isn't: no list of threads is filtered.
  ///
  /// - Parameter pattern: a path that begins with `/v1/`. A `*` at its end stands for any text.
  public static func areSafe(_ pattern: String) -> Bool {
    let path = pattern.hasSuffix("*") ? String(pattern.dropLast()) : pattern
    return safe.contains { path == $0 || path.hasPrefix("\($0)/") }
  }

  /// The beginnings of paths whose objects have owners, and of paths behind which a provider keeps
  /// nothing.
  static let safe = Set(ObjectEndpoints.all.map { beginning(of: $0) }).union(withoutObjects)

  private static let withoutObjects: Set<String> = [
    "/v1/completions", "/v1/embeddings", "/v1/moderations", "/v1/decisions", "/v1/images",
    "/v1/audio/speech", "/v1/audio/transcriptions", "/v1/audio/translations",
    "/v1/content_provenance_checks",
  ]

  /// The names at the beginning of an endpoint's path, such as `/v1/fine_tuning/jobs`.
  private static func beginning(of endpoint: ObjectEndpoint) -> String {
    let most = nested.contains(endpoint.segments[1]) ? 3 : 2
    return "/" + endpoint.segments.prefix(most).joined(separator: "/")
  }

  /// Names that several kinds of endpoints have in common.
  private static let nested: Set<Substring> = ["chat", "fine_tuning"]
}

extension ObjectEndpoints {
  /// Lists that providers don't document, in case that an operator opens one.
  static let undocumentedLists: [ObjectEndpoint] = [
    ObjectEndpoint("GET", "/v1/uploads", .refused, list: .of(.upload)),
    ObjectEndpoint("GET", "/v1/responses", .refused, list: .of(.response)),
    ObjectEndpoint("GET", "/v1/conversations", .refused, list: .of(.conversation)),
    ObjectEndpoint("GET", "/v1/prompts", .refused, list: .of(.prompt)),
    ObjectEndpoint("GET", "/v1/prompts/{prompt}", .refused),
  ]
}
