import Configuration
import InMemory
import Testing

@Suite("A client's own key at a provider")
struct ProviderKeyTests {
  private static let main = """
    providers:
      openai: { base_url: "https://a/v1", api_key_env: MAIN }
      groq: { base_url: "https://b/v1" }
    """
  private static let environment = ["MAIN": "main-key", "ACME": "acme-key"]

  private func client(
    _ keys: String, _ others: [String: String] = [:], missing: MissingSecrets = .refused
  ) throws(ConfigurationError) -> LoadedConfiguration {
    try load(
      Self.main,
      ["clients.yaml": "clients: { acme: { provider_keys: \(keys) } }"].merging(others) { $1 },
      environment: Self.environment, missingSecrets: missing)
  }

  @Test("is read from a variable or a file, and shows itself nowhere")
  func read() throws {
    let loaded = try client(
      "{ openai: { api_key_env: ACME }, groq: { api_key_file: acme.key } }",
      ["acme.key": "groq-key\n"])
    let acme = try #require(loaded.settings.clients.client("acme"))
    #expect(acme.providerKeys.map(\.provider) == ["openai", "groq"])
    #expect(acme.providerKeys.map(\.secret.source) == [.environment("ACME"), .file("acme.key")])
    #expect(acme.providerKeys.map { $0.secret.value?.revealed() } == ["acme-key", "groq-key"])
    #expect(!"\(acme.providerKeys)".contains("acme-key"))
    let own = loaded.settings.providers.map { $0.withKey(of: acme) }
    #expect(own.map { $0.apiKey?.revealed() } == ["acme-key", "groq-key"])
    #expect(own.map(\.keyOwner) == ["acme", "acme"])
    #expect(own.map(\.baseURL) == loaded.settings.providers.map(\.baseURL))
  }

  @Test("leaves other clients and other providers their key")
  func others() throws {
    let loaded = try client("{ groq: { api_key_env: ACME } }")
    let acme = try #require(loaded.settings.clients.client("acme"))
    let provider = loaded.settings.providers[0].withKey(of: acme)
    #expect(provider.apiKey?.revealed() == "main-key" && provider.keyOwner == nil)
    #expect(loaded.settings.providers[1].withKey(of: acme).keyOwner == "acme")
  }

  @Test("is never replaced by the common key where it is missing")
  func missing() throws {
    let loaded = try client("{ openai: { api_key_env: GONE } }", missing: .tolerated)
    #expect(loaded.warnings.map(\.message).contains { $0.contains("GONE is not set") })
    let acme = try #require(loaded.settings.clients.client("acme"))
    let provider = loaded.settings.providers[0].withKey(of: acme)
    #expect(provider.apiKey == nil && provider.keyOwner == "acme")
  }

  @Test(
    "is refused in words where it can't be taken",
    arguments: [
      (
        "{ opnai: { api_key_env: ACME } }",
        "there is no provider \"opnai\"; did you mean \"openai\"?"
      ),
      (
        "{ mistral: { api_key_env: ACME } }",
        "there is no provider \"mistral\"; allowed: openai, groq"
      ),
      ("{ openai: {} }", "openai: no key is named; allowed: api_key_env or api_key_file"),
      (
        "{ openai: { api_key_env: ACME, api_key_file: f } }", "are both given; allowed: one of them"
      ),
      ("{ openai: { api_key_env: GONE } }", "the environment variable GONE is not set"),
      ("{ openai: { api_key_file: none } }", "api_key_file: c/none: no such file"),
      ("{ openai: { api_key_file: empty } }", "c/empty is not a secret"),
      ("{ openai: { api_key: x } }", "unknown key \"api_key\""),
      ("[openai]", "provider_keys: a list is not valid; allowed: a mapping"),
    ])
  func mistakes(keys: String, says: String) {
    do throws(ConfigurationError) {
      _ = try client(keys, ["empty": ""])
      Issue.record("not refused")
    } catch {
      guard case .mistakes(let mistakes) = error else { return }
      #expect(mistakes.contains { $0.message.contains(says) }, "\(mistakes)")
    }
  }

  @Test("A changed key file is a change, though the file of the clients is as it was")
  func changedFile() throws {
    let clients = "clients: { acme: { provider_keys: { openai: { api_key_file: acme.key } } } }"
    let disk = MemoryFiles(
      files(leastMain, ["clients.yaml": clients, "acme.key": "one"]))
    let store = try ConfigurationStore(loader(disk))
    func key() -> String? {
      store.current.clients.client("acme")?.providerKeys.first?.secret.value?.revealed()
    }
    #expect(key() == "one")
    for next in ["two", "three"] {
      disk["c/acme.key"] = next
      guard case .replaced = store.reloadIfChanged() else {
        Issue.record("not replaced")
        return
      }
      #expect(key() == next)
    }
    disk["c/acme.key"] = nil
    guard case .refused = store.reloadIfChanged() else {
      Issue.record("not refused")
      return
    }
    #expect(key() == "three")
    // A change elsewhere must not let the file out of sight.
    disk["c/acme.key"] = "three"
    _ = store.reloadIfChanged()
    disk["c/catraca.yaml"] = leastMain + "limits: { idle: 20s }"
    _ = store.reloadIfChanged()
    disk["c/acme.key"] = "four"
    _ = store.reloadIfChanged()
    #expect(key() == "four")
  }
}
