import Testing

@testable import Ledger

@Suite struct SigningKeyTests {
  @Test("The first key that is offered is kept, for each name")
  func kept() throws {
    let folder = TemporaryFolder()
    func key(_ name: String, _ fresh: String) throws -> String {
      let author = LedgerEditor.Author(actor: "start", now: Sample.admitted)
      return try LedgerEditor(at: folder.location, author: author)
        .signingKey(name, orKeep: fresh)
    }
    #expect(try key("widget_tokens", "a") == "a")
    #expect(try key("widget_tokens", "b") == "a")
    #expect(try key("others", "c") == "c")
  }
}
