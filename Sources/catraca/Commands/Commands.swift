internal import Server

/// Everything that the program can be asked to do, in the order of the help.
enum Commands {
  static let all: [Command] = [
    ServeCommand.command, CheckCommand.command, Doctor.command, Demo.command,
    SandboxCommand.command,
    UsageReportCommand.command, Estimates.command, Denials.command, Explain.command, Price.command,
    BudgetStatus.command, BudgetSet.command, BudgetActions.pause, BudgetActions.resume,
    BudgetActions.reset, BudgetActions.raise,
    CreditAdd.command, BillingReport.summary, InvoiceReport.command,
    ClientList.command, ClientShow.command, ClientCreate.command, ClientSuspend.command,
    ClientResume.command, ClientDelete.command,
    PricingImport.command, PricingDiff.command, MissingPrices.command,
    KeyList.command, KeyCreate.command, KeyRotate.command, KeyRevoke.command,
    ObjectList.command, ObjectOwnership.assign, ObjectOwnership.forget, ObjectImport.command,
    AuditCommand.command, Reconcile.command, Migrate.command, ReplicaList.command,
    ReplicaForget.command,
    ShellCompletion.command, VersionCommand.command,
  ]
}

/// `catraca version`.
enum VersionCommand {
  static let command = Command("version", "tells which release this is") {
    _ throws(CommandError) in
    CommandOutcome(.line("catraca \(Server.version)"))
  }
}
