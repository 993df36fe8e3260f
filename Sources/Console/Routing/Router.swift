internal import HTTP

/// A route with a method and a path.
protocol Routed: Sendable {
  var method: APIRoute.Method { get }
  /// The path. A segment in braces matches any text: `/api/admin/clients/{client}`.
  var path: String { get }
}

/// Finds the route of a request.
struct Router<Place: Routed>: Sendable {
  private let routes: [Place]

  init(_ routes: [Place]) {
    self.routes = routes
  }

  /// Finds the route of a request, and the parameters in its path.
  ///
  /// - Throws: 404 if no route has the path, 405 if none of its routes has the method.
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
  /// The parameters of a path, by name; nil if the path doesn't match.
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

/// All calls of the API, in the order of the OpenAPI document.
enum Routes {
  /// The routes of the admin listener.
  static let admin: [APIRoute] =
    HealthCalls.routes + MetricsCalls.routes + ClientCalls.routes + KeyCalls.routes
    + SubscriptionCalls.routes + PlanCalls.routes + CreditCalls.routes + BudgetCalls.routes
    + BudgetActionCalls.routes + PricingCalls.routes + MissingPriceCalls.routes
    + ObjectCalls.routes
    + LogCalls.routes + AlertCalls.routes
    + TokenBillingCalls.routes + ChargeCalls.routes + PaidSubscriptionCalls.routes
    + PaymentEventCalls.routes
    + AnalyticsCalls.routes + clients + [OpenAPIDocument.route]

  /// The calls that clients' keys may make, which the proxy's listener serves too.
  static let clients: [APIRoute] = BudgetStatusCalls.routes + UsageCalls.routes + WidgetCalls.routes
}
