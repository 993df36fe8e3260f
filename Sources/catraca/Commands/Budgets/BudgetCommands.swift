internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// Parameters of the commands about one budget.
enum BudgetOptions {
  static let id = Parameter(
    "id", ArgumentFormat<BudgetID>.budgetID, "the budget, as budget status names it",
    isRequired: true)
  static let subject = Parameter(
    "subject", ArgumentFormat<Subject>.subject,
    "only this user, key, model or conversation of it; else all")
  static let tokens = Parameter(
    "tokens", ArgumentFormat<Int64>.integer(BudgetDraft.tokenCounts), "tokens")
  static let cost = Parameter("cost", ArgumentFormat<Int64>.amount, "money")
  static let common: [any ParameterDescription] = [
    CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
  ]
}

extension ArgumentFormat<BudgetID> {
  static var budgetID: ArgumentFormat {
    ArgumentFormat("CLIENT/NAME", allowed: "a client's id, a slash and a name: acme/month") {
      let parts = $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
      return BudgetID(client: parts[0], name: parts[1])
    }
  }
}

extension ArgumentFormat<Subject> {
  static var subject: ArgumentFormat {
    ArgumentFormat("KIND:NAME", allowed: "a kind, a colon and a name, such as user:u1") {
      Subject(text: $0)
    }
  }
}

extension ArgumentFormat<Int64> {
  /// Money in nano-units, before its currency is known.
  static var amount: ArgumentFormat { ArgumentFormat("M", .amount) }
}

extension ArgumentFormat<Currency> {
  static var currency: ArgumentFormat { ArgumentFormat("X", .currency) }
}

/// `catraca budget status`: shows how much of each budget is used.
enum BudgetStatus {
  static let command = Command(
    "budget status", "shows every budget with what is used of it",
    options: [
      CommonOptions.client, CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
    ],
    examples: [Command.Example(line: "budget status --client acme", meaning: "acme's budgets")]
  ) { invocation throws(CommandError) in
    let client = invocation.values[CommonOptions.client]
    return CommandOutcome(try BudgetReport.list(invocation, ofClient: client))
  }
}

/// `catraca budget pause|resume|reset|raise ID`: a running server obeys within a second.
enum BudgetActions {
  private static let note = Parameter(
    "note", ArgumentFormat<String>.text("TEXT"), "why, for the audit log")

  static let pause = Command(
    "budget pause", "refuses every request until the budget is resumed",
    arguments: [BudgetOptions.id], options: [note, BudgetOptions.subject] + BudgetOptions.common
  ) { invocation throws(CommandError) in
    let note = invocation.values[note]
    return try perform(invocation) { editor, target throws(LedgerError) in
      try editor.setPaused(true, target, note: note)
    }
  }

  static let resume = Command(
    "budget resume", "ends a pause by hand",
    arguments: [BudgetOptions.id], options: [BudgetOptions.subject] + BudgetOptions.common
  ) { invocation throws(CommandError) in
    try perform(invocation) { editor, target throws(LedgerError) in
      try editor.setPaused(false, target)
    }
  }

  private static let usage = Parameter(
    "usage", ArgumentFormat<ResetUse>.choice("USE"),
    "keep: what is used goes on counting; clear: it no longer counts", isRequired: true)

  static let reset = Command(
    "budget reset", "re-arms a budget's alerts, and may forget what is used of it",
    arguments: [BudgetOptions.id],
    options: [usage, BudgetOptions.subject] + BudgetOptions.common
  ) { invocation throws(CommandError) in
    let use = try invocation.values.required(usage)
    return try perform(invocation) { editor, target throws(LedgerError) in
      try editor.reset(target, use: use)
    }
  }

  private static let until = Parameter(
    "until", ArgumentFormat<Moment>.moment, "when the raise ends, a date in the budget's time zone",
    isRequired: true)
  private static let longestRaise = Duration.seconds(366 * 86_400)

  static let raise = Command(
    "budget raise", "adds to a budget's limits for a while",
    arguments: [BudgetOptions.id],
    options: [
      BudgetOptions.tokens, BudgetOptions.cost, until, BudgetOptions.subject,
    ] + BudgetOptions.common,
    examples: [
      Command.Example(
        line: "budget raise acme/month --tokens 100000 --until 2026-12-01",
        meaning: "a second raise replaces the first, one of 0 ends it")
    ]
  ) { invocation throws(CommandError) in
    let definition = try definition(invocation)
    let raise = try raise(of: definition, invocation)
    return try perform(invocation) { editor, target throws(LedgerError) in
      try editor.raise(target, by: raise)
    }
  }

  private static func raise(
    of definition: BudgetDefinition, _ invocation: Invocation
  ) throws(CommandError) -> Raise {
    let values = invocation.values
    let now = invocation.surroundings.now()
    let end = try values.required(until).timestamp(in: definition.timeZone)
    guard end > now, end <= now.advanced(by: longestRaise) else {
      throw .usage(.contradiction("--until; allowed: a time in the future, within 366 days"))
    }
    guard values[BudgetOptions.tokens] != nil || values[BudgetOptions.cost] != nil else {
      throw .usage(.contradiction("nothing to add; allowed: --tokens, --cost, or both"))
    }
    let billing = try invocation.settings().rates.billing
    let currency = definition.limit.cost?.currency ?? billing
    let cost = values[BudgetOptions.cost].map { Money(nanoUnits: $0, currency: currency) }
    let amount = Spend(
      tokens: values[BudgetOptions.tokens] ?? 0, nanoUnits: cost?.nanoUnits ?? 0)
    if definition.limit.tokens == nil, amount.tokens > 0 {
      throw .usage(.contradiction("--tokens; \(definition.id) limits no tokens; allowed: --cost"))
    }
    if definition.limit.cost == nil, amount.nanoUnits > 0 {
      throw .usage(.contradiction("--cost; \(definition.id) limits no money; allowed: --tokens"))
    }
    return Raise(amount: amount, until: end)
  }

  /// The budget that is meant, declared or not.
  private static func definition(
    _ invocation: Invocation
  ) throws(CommandError) -> BudgetDefinition {
    let id = try invocation.values.required(BudgetOptions.id)
    let budgets = try ClientDirectory(invocation).registry.budgets
    guard let definition = budgets.first(where: { $0.id == id }) else {
      let suggestion = likelyMeant(by: "\(id)", among: budgets.map { "\($0.id)" })
      throw .failed(
        "there is no budget '\(id)'" + (suggestion.map { "; did you mean \($0)?" } ?? ""))
    }
    return definition
  }

  private static func perform(
    _ invocation: Invocation,
    _ change: (LedgerEditor, Target) throws(LedgerError) -> Void
  ) throws(CommandError) -> CommandOutcome {
    let definition = try definition(invocation)
    let subject = invocation.values[BudgetOptions.subject]
    if let subject, subject.kind != definition.per || subject.kind == .client {
      throw .usage(
        .contradiction("--subject; \(definition.id) counts per \(definition.per.rawValue)"))
    }
    let editor = try invocation.editor()
    try invocation.ledger { () throws(LedgerError) in
      try change(editor, Target(budget: definition.id, subject: subject))
    }
    return CommandOutcome(try BudgetReport.one(definition.id, invocation))
  }
}
