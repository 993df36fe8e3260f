internal import Configuration
internal import EventLoop
internal import JSON

/// `catraca doctor`: whether this machine, its configuration and its providers let a server serve.
enum Doctor {
  private static let offline = Parameter<Bool>.flag("offline", "calls no provider")

  static let command = Command(
    "doctor", "looks whether a server can serve here, and says what to do; changes nothing",
    options: [offline, CommonOptions.config, CommonOptions.format],
    examples: [
      Command.Example(
        line: "doctor --config config",
        meaning: "a line for each check; exit status 1 where there is a problem"),
      Command.Example(line: "doctor --offline", meaning: "the same without calling a provider"),
    ]
  ) { invocation async throws(CommandError) in
    let findings: [Finding]
    do {
      findings = try await examine(invocation)
    } catch let error as CommandError {
      throw error
    } catch {
      throw .failed("doctor: \(error)")
    }
    return CommandOutcome(
      report(findings),
      exitCode: findings.contains { $0.state == .problem } ? .failed : .well)
  }

  private static func examine(_ invocation: Invocation) async throws -> [Finding] {
    let surroundings = invocation.surroundings
    let configuration = ConfigurationCheck(
      folder: try invocation.values.required(CommonOptions.config), surroundings)
    var findings = configuration.findings
    if let settings = configuration.settings {
      findings += PricesCheck.findings(settings, today: surroundings.now())
      let caller = try await ServiceCaller()
      if invocation.values[offline] != true {
        let check = ProviderCheck(caller: caller, now: surroundings.now)
        for provider in settings.providers { findings += await check.findings(provider) }
        findings += await ownKeys(settings, check)
      }
      findings += LedgerCheck.findings(settings.ledger)
      findings += LogCheck.findings(settings.log)
      findings += CertificateCheck.findings(settings, at: surroundings.now())
      findings += await ListenerCheck(caller: caller).findings(settings)
      await caller.close()
      findings.append(ProcessCheck.openFiles(for: settings.limits))
    }
    return findings + TelemetryCheck.findings(surroundings.environment) + ProcessCheck.findings()
  }

  /// Tries each client's own key. Those that are missing are findings of the configuration.
  private static func ownKeys(_ settings: Settings, _ check: ProviderCheck) async -> [Finding] {
    var findings: [Finding] = []
    for client in settings.clients.clients where !client.providerKeys.isEmpty {
      for provider in settings.providers.map({ $0.withKey(of: client) })
      where provider.keyOwner != nil && provider.apiKey != nil {
        findings.append(await check.finding(provider, withKeyOf: client.id))
      }
    }
    return findings
  }

  // MARK: What is said

  private static let columns = [
    Table.Column("check", nil), Table.Column("state", nil), Table.Column("finding", nil),
    Table.Column("advice", nil),
  ]

  private static func report(_ findings: [Finding]) -> Report {
    var table = Table(columns, emptyText: "")
    for finding in findings {
      table.append([
        .text(finding.check.rawValue), .text(finding.state.rawValue), .text(finding.text),
        .optional(finding.advice),
      ])
    }
    return .document(
      Document(sections: [.lines(lines(findings))], table: table) { [table] in $0.list(table) })
  }

  private static func lines(_ findings: [Finding]) -> [String] {
    let states = column(Finding.State.allCases.map(\.rawValue))
    let checks = column(Finding.CheckCommand.allCases.map(\.title))
    var lines: [String] = []
    for finding in findings {
      let begin = "\(states(finding.state.rawValue))\(checks(finding.check.title))"
      lines.append(begin + Cell.text(finding.text).shown)
      if let advice = finding.advice {
        lines.append(String(repeating: " ", count: begin.count) + Cell.text(advice).shown)
      }
    }
    let problems = findings.count { $0.state == .problem }
    let warnings = findings.count { $0.state == .warning }
    return lines + [
      "",
      "\(CheckCommand.counted(problems, "problem")), \(CheckCommand.counted(warnings, "warning"))",
    ]
  }

  /// Fills texts up to the width of the longest.
  private static func column(_ texts: [String]) -> (String) -> String {
    let width = (texts.map(\.count).max() ?? 0) + 2
    return { $0 + String(repeating: " ", count: width - $0.count) }
  }
}
