internal import JSON

/// Whether the server lives, and whether it may be given work.
enum HealthCalls {
  static var routes: [Route] {
    [
      Route(.get, "/healthz", .anyone, "Whether the server lives") { _ in status("ok") },
      Route(.get, "/readyz", .anyone, "Whether the ledger can be written", handler: ready),
    ]
  }

  private static func ready(_ call: Call) throws(APIError) -> Answer {
    guard call.server.isLedgerHealthy else { throw .ledgerUnavailable }
    return status("ok")
  }

  private static func status(_ text: String) -> Answer {
    Answer { body in body.object { $0.member("status", text) } }
  }
}
