internal import Configuration
internal import HTTP
internal import Ledger

/// `GET /api/admin/usage-logs?format=csv`: every row of the range as one file.
enum UsageLogExport {
  private enum Format: String, CaseIterable {
    case json, jsonl, csv, focus
  }

  static let parameter = QueryParameter(
    "format", "json by default; the others stream every row of the range, without pages",
    .choice(of: Format.self))

  static let mediaTypes = ["application/x-ndjson", "text/csv"]

  /// The format of the file; nil for the API's list in pages.
  static func format(_ query: Query) throws(APIError) -> UsageExport.Format? {
    let format: Format? = try query.choice("format")
    return format.flatMap { UsageExport.Format(rawValue: $0.rawValue) }
  }

  static func answer(
    _ call: Call, _ format: UsageExport.Format, _ filters: UsageFilters, _ range: LogRange
  ) throws(APIError) -> Answer {
    let rows = UsageExport.Rows(
      where: filters.conditions, isStream: filters.isStream, since: range.since,
      until: range.until)
    let clients = call.clients
    var export = UsageExport(
      rows, as: format, showsProviderCosts: call.showsProviderCosts
    ) { clients.client($0)?.name }
    // Reads the first page before the head is sent, so that an unavailable ledger is answered with
    // an error.
    let begin = try call.read { reader throws(LedgerError) in try export.next(from: reader) }
    let pages = Pages(export, ledgerLocation: call.server.ledgerLocation)
    var answer = Answer(status: 200, body: begin?.bytes ?? [])
    answer.rest = { () throws(APIError) in try await pages.next() }
    answer.contentType = format == .jsonl ? "application/x-ndjson" : "text/csv; charset=utf-8"
    answer.fields = [("content-disposition", "attachment; filename=\"\(format.fileName)\"")]
    return answer
  }

  /// Reads the pages after the first, over its own connection to the ledger.
  private actor Pages {
    private var export: UsageExport
    private let ledgerLocation: LedgerLocation
    private var reader: LedgerReader?

    init(_ export: UsageExport, ledgerLocation: LedgerLocation) {
      self.export = export
      self.ledgerLocation = ledgerLocation
    }

    func next() throws(APIError) -> [UInt8]? {
      do throws(LedgerError) {
        return try export.next(from: try openReader())?.bytes
      } catch {
        throw APIError(error)
      }
    }

    private func openReader() throws(LedgerError) -> LedgerReader {
      if let reader { return reader }
      let opened = try LedgerReader(at: ledgerLocation)
      reader = opened
      return opened
    }
  }
}

extension UsageExport.Format {
  fileprivate var fileName: String {
    switch self {
    case .jsonl: "usage-logs.jsonl"
    case .csv: "usage-logs.csv"
    case .focus: "usage-logs-focus.csv"
    }
  }
}
