internal import Configuration

/// The configuration of the demonstration, which lives in no file: two providers that are the
/// stand-in, one client with a budget that a few requests use up.
struct DemoFiles: FileSource {
  let providerAddress: String
  let listenAddress: String
  let adminAddress: String
  let ledgerPath: String
  let keyDigest: String

  /// Tokens that the demonstration's client may use in a month.
  static let budgetTokens = 400

  func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    switch path.split(separator: "/").last {
    case "catraca.yaml": Array(settings.utf8)
    case "prices.yaml": Array(DemoFiles.prices.utf8)
    case "clients.yaml": Array(clients.utf8)
    default: throw .missing
    }
  }

  func stamp(of path: String) -> FileStamp? { nil }

  private var settings: String {
    """
    proxy: { listen: ["\(listenAddress)"] }
    admin: { listen: ["\(adminAddress)"] }
    providers:
      openai: { base_url: "http://\(providerAddress)/v1", api_key_env: DEMO_KEY }
    pricing: [prices.yaml]
    clients: clients.yaml
    ledger: { url: "sqlite:\(ledgerPath)" }
    currency: { billing: BRL, per_usd: { BRL: "5.40" } }
    log: { level: error, format: console }
    """
  }

  private var clients: String {
    """
    clients:
      acme:
        name: ACME Corp
        timezone: America/Sao_Paulo
        keys: [{ name: web, sha256: "\(keyDigest)" }]
        budgets: [{ name: demo, tokens: \(DemoFiles.budgetTokens), period: monthly }]
    """
  }

  private static let prices = """
    provider: openai
    currency: USD
    source: https://platform.openai.com/docs/pricing
    as_of: 2026-11-22
    models:
      gpt-4o-mini:
        operation: chat
        max_output_tokens: 16384
        context_tokens: 128000
        per_million_tokens: { input: "0.15", cached_input: "0.075", output: "0.60" }
    """
}
