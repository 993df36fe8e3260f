internal import Configuration
internal import Ledger
internal import Reconciliation
internal import Time
internal import Upstream

/// `catraca reconcile`: whether a provider's own report of use and costs is what we recorded.
enum Reconcile {
  private static let provider = Parameter(
    "provider", ArgumentFormat<String>.name("P"), "whose report", isRequired: true)
  private static let from = Parameter(
    "from", ArgumentFormat<CivilDate>.day, "the first day, in UTC; else yesterday")
  private static let to = Parameter(
    "to", ArgumentFormat<CivilDate>.day, "the last day, in UTC; else yesterday")
  private static let threshold = Parameter(
    "threshold", ArgumentFormat<Int64>.integer(0...1_000),
    "by how many percent figures may differ", default: "1")
  private static let keyVariable = Parameter(
    "key-env", ArgumentFormat<String>.text("NAME"),
    "the variable of the environment with the organization's admin key",
    default: "OPENAI_ADMIN_KEY")
  private static let client = Parameter(
    "client", ArgumentFormat<String>.name("ID"),
    "compares the account of this client's own key, with an admin key of that account")
  private static let alert = Parameter<Bool>.flag(
    "alert", "tells of differences through the channels of alerts")

  static let command = Command(
    "reconcile", "compares what was recorded with what a provider reports, by day and model",
    options: [
      provider, from, to, threshold, keyVariable, client, alert, CommonOptions.config,
      CommonOptions.ledger, CommonOptions.format,
    ],
    examples: [
      Command.Example(
        line: "reconcile --provider openai --from 2026-11-01 --to 2026-11-30",
        meaning: "exit status 1 and a line a figure that differs by more than 1 %"),
      Command.Example(
        line: "reconcile --provider openai --alert",
        meaning: "yesterday; whoever is told of budgets is told of differences"),
    ]
  ) { invocation async throws(CommandError) in
    let request = try Request(invocation)
    let settings = request.settings
    let answer = try await request.fetch()
    let book = try settings.priceBook()
    let reader = try invocation.reader()
    let uses = try invocation.ledger { () throws(LedgerError) in
      try reader.providerUse(
        of: request.provider.name, by: request.users, from: request.days.lowerBound,
        through: request.days.upperBound)
    }
    let priceRecords = try invocation.ledger { () throws(LedgerError) in
      try reader.priceRecords(versions: Set(uses.compactMap(\.priceVersion)))
    }
    let comparison = UsageComparison(
      uses, priceRecords: priceRecords, with: answer, of: request.provider.name, book: book,
      threshold: request.threshold, today: request.today)
    let report = ReconciliationReport(
      comparison, provider: request.provider.name, days: request.days,
      threshold: request.threshold)
    var notes = answer.unknownPaths.map {
      "reconcile: \(request.provider.name) has no \($0): not compared"
    }
    notes += request.notes
    try DifferenceLog.write(comparison, of: request.provider.name, by: settings.log)
    if invocation.values[alert] == true, !comparison.differences.isEmpty {
      notes += try await DifferenceAlert.send(report.sentence, by: settings.alerts)
    }
    return CommandOutcome(
      .document(report.document), notes: notes,
      exitCode: comparison.differences.isEmpty ? .well : .failed)
  }

  /// The request of the command line: the days, and the accounts to ask.
  private struct Request {
    let settings: Settings
    let provider: Provider
    let key: Secret
    let days: ClosedRange<CivilDate>
    /// In UTC.
    let today: CivilDate
    let threshold: Int64
    /// The clients whose requests are made in the account that is compared.
    let users: ProviderUsers

    /// The one provider with such a report that is known, by the name of its pricing file.
    private static let known = "openai"
    private static let mostDays = 366
    /// For each page of the report.
    private static let patience = Duration.seconds(60)

    init(_ invocation: Invocation) throws(CommandError) {
      let values = invocation.values
      // Channels need their secrets, which other commands do without.
      let secrets: MissingSecrets = values[alert] == true ? .refused : .tolerated
      settings = try invocation.load(missingSecrets: secrets).settings
      let name = try values.required(Reconcile.provider)
      guard let provider = settings.providers.first(where: { $0.name == name }) else {
        let names = settings.providers.map(\.name).joined(separator: ", ")
        throw .failed("reconcile: there is no provider \(name); allowed: one of \(names)")
      }
      guard name == Request.known else {
        throw .failed(
          "reconcile: \(name) has no report of use and costs that other programs can read; "
            + "allowed: \(Request.known)")
      }
      self.provider = provider
      users = try Request.users(of: name, asked: values[client], settings.clients.clients)
      let variable = try values.required(keyVariable)
      guard let text = invocation.surroundings.environment[variable], !text.isEmpty,
        text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw .failed(
          "reconcile: the environment variable \(variable) holds no key; "
            + "allowed: an admin key of the organization")
      }
      key = Secret(text)
      today = TimeZoneRules.utc.civilDate(of: invocation.surroundings.now())
      let yesterday = CivilDate(daysSinceEpoch: today.daysSinceEpoch - 1)
      let first = values[from] ?? yesterday
      let last = values[to] ?? yesterday
      guard first <= last, last.daysSinceEpoch - first.daysSinceEpoch < Request.mostDays else {
        throw .failed(
          "reconcile: from \(first) to \(last) is no span; "
            + "allowed: 1 to \(Request.mostDays) days, the first one first")
      }
      days = first...last
      threshold = try values.required(Reconcile.threshold)
    }

    /// Usage with a client's own key is in the account of that key, and not in that of all others.
    private static func users(
      of provider: String, asked client: String?, _ clients: [Client]
    ) throws(CommandError) -> ProviderUsers {
      let owners = clients.filter { $0.providerKeys.contains { $0.provider == provider } }
        .map(\.id)
      guard let client else { return .allExcept(owners) }
      guard owners.contains(client) else {
        throw .failed(
          "reconcile: the client \(client) has no key of its own for \(provider); allowed: "
            + (owners.isEmpty ? "one with provider_keys" : owners.joined(separator: ", ")))
      }
      return .only(client)
    }

    /// Which clients are left out.
    var notes: [String] {
      guard case .allExcept(let owners) = users, !owners.isEmpty else { return [] }
      return [
        "reconcile: left out, as they have keys of their own for \(provider.name): "
          + owners.joined(separator: ", ")
      ]
    }

    func fetch() async throws(CommandError) -> OrganizationReport.Answer {
      let caller: ServiceCaller
      do {
        caller = try await ServiceCaller()
      } catch {
        throw .failed("reconcile: \(error)")
      }
      let report = OrganizationReport(baseURL: "\(provider.baseURL)", days: days) { url in
        await page(at: url, from: caller)
      }
      let answer: Result<OrganizationReport.Answer, CommandError>
      do throws(OrganizationReport.Failure) {
        answer = .success(try await report.fetch())
      } catch {
        answer = .failure(.failed("reconcile: \(error)"))
      }
      await caller.close()
      return try answer.get()
    }

    private func page(
      at url: String, from caller: ServiceCaller
    ) async -> OrganizationReport.Response {
      let result = await caller.get(
        url, bearer: key, authorities: provider.caFile, within: Request.patience)
      return switch result {
      case .failure(let error): .missing(reason: "\(error)")
      case .success(let answer): .received(status: answer.status, body: answer.body)
      }
    }
  }
}

extension ArgumentFormat<CivilDate> {
  fileprivate static var day: ArgumentFormat {
    ArgumentFormat("DAY", allowed: "a date such as 2026-11-01") { CivilDate($0) }
  }
}
