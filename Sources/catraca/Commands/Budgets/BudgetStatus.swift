/// `catraca budget status`: how full the budgets are.
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
