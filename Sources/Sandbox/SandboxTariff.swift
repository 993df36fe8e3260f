/// What the sandbox bills for a model, in nano-units of a US dollar a token.
struct SandboxTariff {
  let input: Int64
  let cachedInput: Int64
  let output: Int64

  private static let snapshots = [
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18", "gpt-4o": "gpt-4o-2024-08-06",
  ]
  private static let all = [
    "gpt-4o-mini-2024-07-18": SandboxTariff(input: 150, cachedInput: 75, output: 600),
    "gpt-4o-2024-08-06": SandboxTariff(input: 2_500, cachedInput: 1_250, output: 10_000),
    "text-embedding-3-small": SandboxTariff(input: 20, cachedInput: 20, output: 0),
  ]

  /// The name under which a model is billed.
  static func snapshot(of model: String) -> String { snapshots[model] ?? model }

  static func of(_ snapshot: String) -> SandboxTariff? { all[snapshot] }
}
