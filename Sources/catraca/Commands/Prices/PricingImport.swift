internal import Configuration
internal import EventLoop
internal import Pricing
internal import Time

/// `catraca pricing import FILE`: LiteLLM's table of prices as our pricing files.
enum PricingImport {
  private static let file = Parameter(
    "file", ArgumentFormat<String>.path("FILE"),
    "LiteLLM's model_prices_and_context_window.json", isRequired: true)
  private static let out = Parameter(
    "out", ArgumentFormat<String>.path("DIR"),
    "where PROVIDER.yaml is written; without it, the configuration's pricing/")

  private static let source =
    "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json"

  static let command = Command(
    "pricing import", "makes pricing files of LiteLLM's table, one for each provider",
    arguments: [file],
    options: [out, CommonOptions.config],
    examples: [
      Command.Example(
        line: "pricing import model_prices_and_context_window.json --out /tmp/prices",
        meaning: "what has no place in a pricing file is named on standard error")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let path = try values.required(file)
    let folder = try values.required(CommonOptions.config)
    let providers = try invocation.settings().providers.map(\.name)
    let table = try LiteLLMTable(try read(path, invocation.surroundings.files), path: path)
    let target = values[out] ?? "\(folder)/pricing"
    let today = TimeZoneRules.utc.civilDate(of: invocation.surroundings.now())
    var (written, notes): ([String], [String]) = ([], [])
    for provider in providers {
      let prices = LiteLLMPrices(of: provider, in: table)
      notes += prices.omissions.map { "\(provider): \($0)" }
      guard !prices.models.isEmpty else {
        notes.append("\(provider): the table has no price of it, so that no file is written")
        continue
      }
      let file = "\(target)/\(provider).yaml"
      try write(prices, of: provider, asOf: today, to: file)
      written.append("\(file): \(prices.models.count) models")
    }
    notes += otherProviders(in: table, than: providers)
    return CommandOutcome(
      written.isEmpty ? .nothing : .line(written.joined(separator: "\n")), notes: notes)
  }

  private static func read(
    _ path: String, _ files: any FileSource
  ) throws(CommandError) -> [UInt8] {
    do {
      return try files.read(path, atMost: LiteLLMTable.largestFile)
    } catch {
      throw .failed("\(path): \(error)")
    }
  }

  private static func write(
    _ prices: LiteLLMPrices, of provider: String, asOf day: CivilDate, to path: String
  ) throws(CommandError) {
    let file = ProviderPrices(
      provider: provider, source: source, asOf: day, file: path, surcharges: prices.surcharges,
      containers: prices.containers, models: prices.models)
    let comment = [
      "Made by `catraca pricing import` from LiteLLM's table. It lacks, as the table does:",
      "aliases, the least that is billed (minimum_seconds), completion windows, prices that will",
      "change.",
    ]
    do {
      try WrittenFile.replace(path, with: PricingFileText.text(of: file, comment: comment))
    } catch {
      throw .failed("\(path): \(error.reason); allowed: a folder that can be written to")
    }
  }

  /// One line for each provider that the configuration doesn't have.
  private static func otherProviders(
    in table: LiteLLMTable, than configured: [String]
  ) -> [String] {
    let others = table.entries.filter { entry in
      !LiteLLMPrices.providers(of: entry).contains { configured.contains($0) }
    }
    return Dictionary(grouping: others, by: \.provider).sorted { $0.key < $1.key }.map {
      "\($0.key): not among the providers of catraca.yaml, \($0.value.count) entries left out"
    }
  }
}
