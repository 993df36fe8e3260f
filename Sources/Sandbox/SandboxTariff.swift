/// The sandbox's prices for a model, in nano-units of a US dollar a token.
struct SandboxTariff {
  let input: Int64
  let cachedInput: Int64
  let output: Int64
  /// The price of each web search.
  var webSearch: Int64 = 10_000_000

  /// The prices of each file search, and of each session of a container of the usual size.
  static let fileSearch: Int64 = 2_500_000
  static let containerSession: Int64 = 30_000_000

  /// The prices in a batch: half, except for cached input.
  var ofBatches: SandboxTariff {
    SandboxTariff(
      input: input / 2, cachedInput: cachedInput, output: output / 2, webSearch: webSearch)
  }

  private static let snapshots = [
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18", "gpt-4o": "gpt-4o-2024-08-06",
  ]
  private static let all = [
    "gpt-4o-mini-2024-07-18": SandboxTariff(
      input: 150, cachedInput: 75, output: 600, webSearch: 25_000_000),
    "gpt-4o-2024-08-06": SandboxTariff(
      input: 2_500, cachedInput: 1_250, output: 10_000, webSearch: 25_000_000),
    "text-embedding-3-small": SandboxTariff(input: 20, cachedInput: 20, output: 0),
    "gpt-realtime": SandboxTariff(input: 4_000, cachedInput: 400, output: 16_000),
  ]

  /// The name under which a model is billed.
  static func snapshot(of model: String) -> String { snapshots[model] ?? model }

  static func of(_ snapshot: String) -> SandboxTariff? { all[snapshot] }
}
