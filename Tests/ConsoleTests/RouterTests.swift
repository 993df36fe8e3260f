import HTTP
import Testing

@testable import Console

@Suite struct RouterTests {
  private let router = Router(Routes.admin)

  @Test(
    "A path finds its route, and names what stands in it",
    arguments: [
      ("GET", "/api/admin/clients", [:]),
      ("GET", "/api/admin/clients/acme", ["client": "acme"]),
      ("POST", "/api/admin/clients/acme/keys/web/rotate", ["client": "acme", "key": "web"]),
      ("POST", "/api/admin/budgets/acme%2F1/pause", ["client": "acme", "name": "1"]),
      ("GET", "/api/admin/budgets/*/all", ["client": "*", "name": "all"]),
      ("HEAD", "/healthz", [:]),
    ])
  func found(method: String, path: String, parameters: [String: String]) throws {
    let match = try router.route(HTTP.Method(method), path: path)
    #expect(match.parameters == parameters)
  }

  @Test(
    "Any other path is 404, a broken escape included",
    arguments: ["/", "/api/admin", "/api/admin/clients/", "/api//admin/clients", "/healthz%zz"])
  func notFound(path: String) {
    let error = #expect(throws: APIError.self) { try router.route(.get, path: path) }
    #expect(error?.status == 404)
  }

  @Test("A method that a path doesn't have is 405, with those that it has")
  func methods() {
    let error = #expect(throws: APIError.self) {
      try router.route(.patch, path: "/api/admin/clients")
    }
    #expect(error?.status == 405)
    #expect(error?.fields.first?.1 == "GET, POST")
  }

  @Test("No two routes have the same method and path")
  func unique() {
    let calls = Routes.admin.map { "\($0.method.rawValue) \($0.path)" }
    #expect(Set(calls).count == calls.count)
  }

  @Test(
    "Only what changes nothing is open to viewers and keys, but for what keys do for themselves",
    arguments: Routes.admin.map { ($0.method, $0.path, $0.access) })
  func access(method: APIRoute.Method, path: String, access: APIRoute.Access) {
    // A payment provider has no token: its events are signed.
    if method == .get || path == PaymentEventCalls.path { return }
    let own = [TokenBillingCalls.path + "process-usage", "/api/widget-tokens"]
    #expect(access == (own.contains(path) ? .adminOrKey : .admin))
  }
}
