internal import Configuration
internal import Pricing

/// `catraca check`: whether a server would take the configuration.
enum Check {
  static let command = Command(
    "check", "validates every file of the configuration",
    options: [CommonOptions.config],
    examples: [
      Command.Example(
        line: "check --config config",
        meaning: "every mistake as file:line:column on standard error, and exit status 1")
    ]
  ) { invocation throws(CommandError) in
    let loaded = try invocation.load()
    let settings = loaded.settings
    _ = try settings.priceBook()
    let counts = [
      counted(settings.providers.count, "provider"),
      counted(settings.prices.reduce(0) { $0 + $1.models.count }, "model"),
      counted(settings.clients.clients.count, "client"),
      counted(settings.clients.clients.reduce(0) { $0 + $1.keys.count }, "key"),
      counted(settings.clients.budgets.count, "budget"),
    ]
    return Outcome(
      .line("ok: \(counts.joined(separator: ", "))"), notes: loaded.warnings.map(\.description))
  }

  /// `1 client`, `2 clients`.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension Settings {
  /// The price book of these files.
  func priceBook() throws(CommandError) -> PriceBook {
    do {
      return try PriceBook(providers: prices, rates: rates)
    } catch {
      throw .failed("the pricing files make no price book: \(error)")
    }
  }
}
