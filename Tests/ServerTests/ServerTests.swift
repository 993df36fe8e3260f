import Configuration
import EventLoop
import Ledger
import Testing
import Time

@testable import Server

@Suite struct ServerTests {
  let fixture: ServerFixture

  init() throws { fixture = try ServerFixture() }

  @Test("The first start shows an admin token, and a later start on the same ledger shows none")
  func firstAdminToken() async throws {
    let first = try await fixture.withServer { $0.firstAdminToken }
    #expect(first?.hasPrefix("adm-ctr-") == true)
    #expect(try await fixture.withServer { $0.firstAdminToken } == nil)
  }

  @Test("A start that fails has made no admin token: the next start shows one")
  func failedStart() async throws {
    try await fixture.withServer { running in
      let other = try ServerFixture()
      other.files["catraca.yaml"] = other.main(proxy: "\(running.proxyAddresses[0])")
      await #expect(throws: SystemError.self) { try await other.withServer { _ in } }
      other.files["catraca.yaml"] = other.main()
      #expect(try await other.withServer { $0.firstAdminToken } != nil)
    }
  }

  @Test("Both listeners have a port of their own")
  func listeners() async throws {
    try await fixture.withServer { server in
      #expect(server.proxyAddresses.count == 1)
      #expect(server.adminAddresses.count == 1)
      #expect(server.proxyAddresses != server.adminAddresses)
    }
  }

  @Test("A client that a file adds is served after a reload")
  func reload() async throws {
    try await fixture.withServer { server in
      fixture.files["clients.yaml"] = "clients: { acme: { name: ACME }, beta: { name: Beta } }\n"
      await server.reloader.reload()
      #expect(server.state.clients.client("beta")?.name == "Beta")
      #expect(server.reloader.reloads.counts == (done: 1, failed: 0))
    }
  }

  @Test("A mistake in one file leaves everything as it was, and is logged with its place")
  func mistake() async throws {
    try await fixture.withServer { server in
      fixture.files["clients.yaml"] = "clients: { acme: { name: New, nmae: ACME } }\n"
      await server.reloader.reload()
      #expect(server.state.clients.client("acme")?.name == "ACME")
      #expect(server.reloader.reloads.counts == (done: 0, failed: 1))
    }
    #expect(fixture.log.contains("configuration_refused"))
    #expect(fixture.log.contains("clients.yaml:1"))
  }

  @Test("A client that a command adds to the ledger is served as soon as the ledger is read anew")
  func ledgerChange() async throws {
    try await fixture.withServer { server in
      let location = LedgerLocation.sqlite(path: fixture.ledgerPath)
      let author = LedgerEditor.Author(actor: "test", now: .readSystemClock())
      try LedgerEditor(at: location, author: author).create(
        StoredClient(
          id: "gamma", name: "Gamma", timeZone: "UTC", metadata: "{}",
          createdAt: .readSystemClock()))
      #expect(server.state.clients.client("gamma") == nil)
      #expect(await server.state.takeOverLedger())
      #expect(server.state.clients.client("gamma")?.name == "Gamma")
    }
  }
}
