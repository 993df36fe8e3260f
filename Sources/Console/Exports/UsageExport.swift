internal import JSON
public import Ledger
public import Time

/// Requests as a file: every row of a span, newest first, one page after the other.
///
/// A page is one short read, so that whoever takes the file slowly keeps no transaction of the
/// ledger open, and no more than a page is in memory. Rows that come meanwhile are neither repeated
/// nor do they let one be skipped.
public struct UsageExport: Sendable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// A line of JSON for each row, as the list of the API has it.
    case jsonl
    /// The same columns with a line of names first.
    case csv
    /// The FinOps Open Cost and Usage Specification, version 1.0, as CSV.
    case focus
  }

  /// Which rows are meant.
  public struct Rows: Sendable {
    /// What columns must be equal to.
    public var conditions: [UsageColumn: String]
    public var isStream: Bool?
    /// Admitted at this instant or later.
    public var since: Timestamp?
    /// Admitted before this instant.
    public var until: Timestamp?

    public init(
      where conditions: [UsageColumn: String] = [:], isStream: Bool? = nil,
      since: Timestamp? = nil, until: Timestamp? = nil
    ) {
      self.conditions = conditions
      self.isStream = isStream
      self.since = since
      self.until = until
    }
  }

  /// A part of the file.
  public struct Piece: Sendable {
    public let bytes: [UInt8]
    public let rowCount: Int
  }

  /// The rows of a page: with the largest metadata there are, a few megabytes.
  static let pageSize = 500

  private let format: Format
  private let rows: Rows
  private let showsProviderCosts: Bool
  private let clientName: @Sendable (String) -> String?
  private let pageSize: Int
  private var cursor: LogCursor?
  private var isBegun = false
  private var isEnded = false

  /// - Parameters:
  ///   - showsProviderCosts: whether the file has a column with what the provider charges.
  ///   - clientName: what a client of an id is called.
  public init(
    _ rows: Rows, as format: Format, showsProviderCosts: Bool,
    clientName: @escaping @Sendable (String) -> String?
  ) {
    self.init(
      rows, as: format, showsProviderCosts: showsProviderCosts, pageSize: UsageExport.pageSize,
      clientName: clientName)
  }

  init(
    _ rows: Rows, as format: Format, showsProviderCosts: Bool, pageSize: Int,
    clientName: @escaping @Sendable (String) -> String?
  ) {
    self.format = format
    self.rows = rows
    self.showsProviderCosts = showsProviderCosts
    self.pageSize = pageSize
    self.clientName = clientName
  }

  /// The next part; nil at the end. The first one has the names of the columns, and may have no
  /// row.
  public mutating func next(from reader: LedgerReader) throws(LedgerError) -> Piece? {
    if isEnded { return nil }
    let range = LogRange(since: rows.since, until: rows.until, cursor: cursor, limit: pageSize)
    let entries = try reader.usageLog(where: rows.conditions, isStream: rows.isStream, range)
    let bytes = text(of: entries, withNames: !isBegun)
    cursor = entries.last?.cursor ?? cursor
    isBegun = true
    isEnded = entries.count < pageSize
    return Piece(bytes: bytes, rowCount: entries.count)
  }

  private func text(of entries: [LogEntry<UsageRow>], withNames: Bool) -> [UInt8] {
    switch format {
    case .jsonl: return lines(of: entries)
    case .csv:
      let columns = UsageLogJSON.columns(showsProviderCosts: showsProviderCosts)
      var writer = CSVWriter()
      if withNames { writer.line(["id"] + columns.map(\.name)) }
      for entry in entries {
        writer.line([.integer(entry.id)] + columns.map { $0.value(entry.content) })
      }
      return writer.bytes
    case .focus:
      let columns = FocusCharge.columns(showsProviderCosts: showsProviderCosts)
      var writer = CSVWriter()
      if withNames { writer.line(columns.map(\.name)) }
      for entry in entries {
        let charge = FocusCharge(entry.content, clientName: clientName(entry.content.clientID))
        writer.line(columns.map { $0.value(charge) })
      }
      return writer.bytes
    }
  }

  private func lines(of entries: [LogEntry<UsageRow>]) -> [UInt8] {
    let columns = UsageLogJSON.columns(showsProviderCosts: showsProviderCosts)
    var lines: [UInt8] = []
    for entry in entries {
      var writer = JSONWriter(appendingTo: lines)
      // Let go of the buffer here, so that it is written in place and not copied.
      let start = lines.count
      lines = []
      UsageLogJSON.write(entry, columns, to: &writer)
      lines = writer.bytes
      // Metadata is JSON as it was given: between its values lines may end.
      for index in start..<lines.count where UsageExport.isLineBreak(lines[index]) {
        lines[index] = UInt8(ascii: " ")
      }
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
