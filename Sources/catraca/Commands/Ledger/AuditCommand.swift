internal import Ledger
internal import Money
internal import Pricing

/// `catraca audit`: checks every counter and every cost against the recorded requests.
enum AuditCommand {
  static let command = Command(
    "audit", "recomputes every counter and cost from usage_logs, and names each difference",
    options: [CommonOptions.config, CommonOptions.ledger, CommonOptions.format],
    examples: [
      Command.Example(
        line: "audit", meaning: "exit status 1 and a line a difference, where there is one")
    ]
  ) { invocation throws(CommandError) in
    let result = try Result(of: try invocation.reader(), invocation)
    return CommandOutcome(result.report, exitCode: result.differences.isEmpty ? .well : .failed)
  }

  /// The result of an audit.
  struct Result {
    let requests: Int64
    let differences: [AuditDifference]
    /// The months whose rows were detached and are gone.
    let goneMonths: [String]

    init(of reader: LedgerReader, _ invocation: Invocation) throws(CommandError) {
      goneMonths = try invocation.ledger { () throws(LedgerError) in try reader.goneMonths() }
      (requests, differences) = try invocation.ledger { () throws(LedgerError) in
        let requests = try reader.usageTotals(of: UsageQuery(by: .month)).reduce(0) {
          $0 + $1.requests
        }
        var costs = CostRecomputer()
        var progress = ProgressBar("audit", total: requests, in: invocation.surroundings)
        defer { progress.finish() }
        let differences = try reader.audit { record, usage in
          progress.advance()
          return costs.cost(of: usage, record)
        }
        return (requests, differences)
      }
    }
  }
}

extension AuditCommand.Result {
  /// For people.
  var lines: [String] {
    if differences.isEmpty {
      return ["ok: \(Cell.grouped(requests)) requests, no difference"] + notVerified
    }
    return notVerified
      + differences.map { difference in
        let words = [difference.subject, difference.recorded, difference.recomputed].map {
          Cell.text($0).shown
        }
        return "\(difference.check.rawValue) \(words[0]): recorded \(words[1]),"
          + " recomputed \(words[2])"
      }
  }

  private var notVerified: [String] {
    guard !goneMonths.isEmpty else { return [] }
    return [
      "not verified: \(goneMonths.joined(separator: ", ")), whose rows are gone, and what was"
        + " counted since before"
    ]
  }

  var report: Report {
    var table = Table(
      [
        Table.Column("check", "Check"), Table.Column("subject", "Subject"),
        Table.Column("recorded", "Recorded"), Table.Column("recomputed", "Recomputed"),
      ], emptyText: "")
    for difference in differences {
      table.append([
        .text(difference.check.rawValue), .text(difference.subject),
        .text(difference.recorded), .text(difference.recomputed),
      ])
    }
    return .document(
      Document(sections: [.lines(lines)], table: table) { [table] in $0.list(table) })
  }
}

/// Computes costs again from stored prices; those of one tariff are read once.
struct CostRecomputer {
  private var tariffs: [String: (tariff: Tariff, markup: Markup)] = [:]

  /// Nil where the record can't be read, or has no price for the usage.
  mutating func cost(
    of usage: Usage, _ record: String
  ) -> (nanoUSD: Int64, nano: Int64, providerNanoUSD: Int64)? {
    guard let cost = try? bill(of: usage, record)?.cost() else { return nil }
    return (cost.nanoUSD.nanoUnits, cost.billed.nanoUnits, cost.provider.nanoUnits)
  }

  private mutating func bill(of usage: Usage, _ record: String) -> Bill? {
    if let known = tariffs[record] {
      return Bill(usage, by: known.tariff, markup: known.markup)
    }
    guard let bill = try? Bill(record: record, of: usage) else { return nil }
    if bill.items.count == 1 { tariffs[record] = (bill.items[0].tariff, bill.markup) }
    return bill
  }
}
