internal import HTTP

/// What has a place among others: a method, and a path of a certain form.
protocol Routed: Sendable {
  var method: APIRoute.Method { get }
  /// Its segments; one in braces stands for any text: `/api/admin/clients/{client}`.
  var path: String { get }
}

/// Finds the route of a request.
struct Router<Place: Routed>: Sendable {
  private let routes: [Place]

  init(_ routes: [Place]) {
    self.routes = routes
  }

  /// The route of a request, and what its path names.
  ///
  /// Throws 404 for a path that no route has, and 405 for a method that none of its routes has.
  func route(
    _ method: HTTP.Method, path: String
  ) throws(APIError) -> (route: Place, parameters: [String: String]) {
    guard let decoded = PercentEncoding.decode(path, plusIsSpace: false) else {
      throw .notFound("such path")
    }
    let segments = decoded.split(separator: "/", omittingEmptySubsequences: false)
    let matches = routes.compactMap { route in
      route.parameters(in: segments).map { (route: route, parameters: $0) }
    }
    guard !matches.isEmpty else { throw .notFound("such path") }
    let wanted = method == .head ? "GET" : method.name
    guard let match = matches.first(where: { $0.route.method.rawValue == wanted }) else {
      throw .methodNotAllowed(matches.map(\.route.method.rawValue))
    }
    return match
  }
}

extension Routed {
  /// The texts that stand for the names in braces; nil where the path is another.
  fileprivate func parameters(in segments: [Substring]) -> [String: String]? {
    let own = path.split(separator: "/", omittingEmptySubsequences: false)
    guard own.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (pattern, segment) in zip(own, segments) {
      if pattern.first == "{", !segment.isEmpty {
        parameters[String(pattern.dropFirst().dropLast())] = String(segment)
      } else if pattern != segment {
        return nil
      }
    }
    return parameters
  }
}
