internal import HTTP

/// Finds the route of a request.
struct Router: Sendable {
  private let routes: [Route]

  init(_ routes: [Route]) {
    self.routes = routes
  }

  /// The route of a request, and what its path names.
  ///
  /// Throws 404 for a path that no route has, and 405 for a method that none of its routes has.
  func route(
    _ method: HTTP.Method, path: String
  ) throws(APIError) -> (route: Route, parameters: [String: String]) {
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
