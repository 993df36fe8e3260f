internal import Configuration
internal import Console
internal import Ledger

/// `catraca usage --format jsonl`, `focus`, or `csv --by request`: every request of some days, on
/// standard output as it is read.
struct UsageExporting {
  private let client: String?
  private let span: UsageReportCommand.Span
  private let format: UsageExport.Format
  private let clients: ClientRegistry?

  init(
    of client: String?, _ span: UsageReportCommand.Span, as format: UsageExport.Format,
    clients: ClientRegistry?
  ) {
    self.client = client
    self.span = span
    self.format = format
    self.clients = clients
  }

  func write(_ invocation: Invocation) throws(CommandError) {
    let reader = try invocation.reader()
    let surroundings = invocation.surroundings
    let conditions: [UsageColumn: String] = client.map { [.client: $0] } ?? [:]
    let total = try invocation.ledger { () throws(LedgerError) in
      try reader.usageTotals(
        of: UsageQuery(
          by: .day, where: conditions, since: span.start, until: span.end, zone: span.zone))
    }.reduce(0) { $0 + $1.requests }
    let rows = UsageExport.Rows(where: conditions, since: span.start, until: span.end)
    let clients = clients
    var export = UsageExport(rows, as: format, showsProviderCosts: true) {
      clients?.client($0)?.name
    }
    var progress = ProgressBar("usage", total: total, in: surroundings)
    defer { progress.finish() }
    while true {
      let piece = try invocation.ledger { () throws(LedgerError) in
        try export.next(from: reader)
      }
      guard let piece else { return }
      guard surroundings.writeOutput(piece.bytes) else {
        throw .failed("standard output can't be written; allowed: a file or pipe with room")
      }
      // Where the rows themselves are on the terminal, a bar would stand among them.
      guard !surroundings.output.isTerminal else { continue }
      for _ in 0..<piece.rowCount { progress.advance() }
    }
  }
}
