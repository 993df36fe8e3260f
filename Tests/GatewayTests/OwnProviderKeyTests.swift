import Configuration
import Ledger
import Money
import Pricing
import Testing
import Time

@testable import Gateway

@Suite("The key of a provider that a request goes out with")
struct OwnProviderKeyTests {
  private struct Files: FileSource {
    let contents: [String: String]

    func stamp(of path: String) -> FileStamp? { nil }

    func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
      guard let text = contents[path] else { throw .missing }
      return Array(text.utf8)
    }
  }

  private let rules: RulesSnapshot

  init() throws {
    let main = """
      providers:
        openai: { base_url: "https://a/v1", api_key_env: OPENAI }
        groq: { base_url: "https://b/v1", api_key_env: GROQ }
      """
    let clients = """
      clients:
        acme: { provider_keys: { openai: { api_key_env: ACME } } }
        beta: {}
      """
    let loader = ConfigurationLoader(
      folder: "c", files: Files(contents: ["c/catraca.yaml": main, "c/clients.yaml": clients]),
      environment: [
        "OPENAI": "main-openai-key", "GROQ": "main-groq-key", "ACME": "own-openai-key",
      ], missingSecrets: .refused)
    let settings = try loader.load().settings
    rules = try RulesSnapshot(settings, clients: settings.clients, priceOverrides: [])
  }

  @Test("is the client's own, else the common one")
  func chosen() {
    func key(_ provider: String, _ client: String) -> String? {
      rules.provider(provider, for: client)?.apiKey?.revealed()
    }
    #expect(key("openai", "acme") == "own-openai-key")
    #expect(key("groq", "acme") == "main-groq-key")
    #expect(key("openai", "beta") == "main-openai-key")
    #expect(key("openai", "") == "main-openai-key")
    #expect(rules.provider("mistral", for: "acme") == nil)
  }

  @Test("stays the client's own when its keys and plan come from the ledger")
  func withKeysOfTheLedger() {
    let overdue = rules.clients.adding(clients: [], keys: [:], overdue: ["acme"])
    #expect(overdue.client("acme")?.isOverdue == true)
    #expect(overdue.client("acme")?.providerKeys.map(\.provider) == ["openai"])
  }

  @Test("An error is redacted by the common keys and the client's own, not by others'")
  func redaction() {
    func redacted(_ text: String, for client: String?) -> String {
      let redaction = ProviderKeyRedaction(of: rules.providersWithKeys(of: client))
      return String(decoding: redaction.redacted(Array(text.utf8)), as: UTF8.self)
    }
    #expect(redacted("no own-openai-key", for: "acme") == "no [provider key]")
    #expect(redacted("no main-openai-key", for: "acme") == "no [provider key]")
    #expect(redacted("no main-groq-key", for: "beta") == "no [provider key]")
    #expect(redacted("no main-groq-key", for: nil) == "no [provider key]")
  }

  @Test("The log tells of a refused key once a minute, for each provider and owner of a key")
  func refusedKeys() throws {
    let own = try #require(rules.provider("openai", for: "acme"))
    let common = try #require(rules.provider("openai", for: "beta"))
    let other = try #require(rules.provider("groq", for: "beta"))
    let keys = RefusedKeys()
    let due = [0, 1, 59_999, 60_000, 60_001].map {
      keys.isDue(own, at: Timestamp(milliseconds: $0))
    }
    #expect(due == [true, false, false, true, false])
    let now = Timestamp(milliseconds: 1)
    #expect(keys.isDue(common, at: now) && keys.isDue(other, at: now))
    #expect(!keys.isDue(common, at: now))
  }
}
