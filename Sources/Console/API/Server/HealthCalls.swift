internal import JSON

/// The probes of a load balancer: whether the process runs, and whether it accepts requests.
enum HealthCalls {
  static let paths = ["/healthz", "/readyz"]

  static var routes: [APIRoute] {
    [
      APIRoute(.get, "/healthz", .anyone, "Reports whether the process runs", answers: answer) {
        _ in
        status("ok")
      },
      APIRoute(
        .get, "/readyz", .anyone, "Reports whether the server is ready: the ledger can be written",
        answers: answer,
        handler: ready),
    ]
  }

  private static let answer = Success.ok(.object(["status": .choice(["ok"])]))

  private static func ready(_ call: Call) throws(APIError) -> Answer {
    guard call.server.isLedgerHealthy else { throw .ledgerUnavailable }
    return status("ok")
  }

  private static func status(_ text: String) -> Answer {
    Answer { body in body.object { $0.member("status", text) } }
  }
}
