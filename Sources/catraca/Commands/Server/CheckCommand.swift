internal import Configuration
internal import Ledger
internal import Pricing

/// `catraca check`: tells whether a server would accept the configuration.
enum CheckCommand {
  private static let accept = Parameter<Bool>.flag(
    "accept",
    "lets running servers take over these files, though they declare less than half of what is in "
      + "force")

  static let command = Command(
    "check", "validates every file of the configuration",
    options: [CommonOptions.config, CommonOptions.ledger, accept],
    examples: [
      Command.Example(
        line: "check --config config",
        meaning: "every mistake as file:line:column on standard error, and exit status 1"),
      Command.Example(
        line: "check --accept",
        meaning: "after most clients or keys were deleted: a server refuses such files, as they "
          + "may be cut short. Write files under another name and rename them into place"),
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
    var lines = ["ok: \(counts.joined(separator: ", "))"]
    if invocation.values.isSet(accept) {
      let editor = try invocation.editor()
      try invocation.ledger { () throws(LedgerError) in
        try editor.acceptConfiguration(loaded.digest)
      }
      lines.append(
        "accepted for 24 hours: a running server takes over these files within a second, and "
          + "refuses any other files that declare less than half of what is in force")
    }
    return CommandOutcome(
      .line(lines.joined(separator: "\n")),
      notes: loaded.warnings.map(\.description)
        + PriceGaps.warnings(settings.prices, at: invocation.surroundings.now()))
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
