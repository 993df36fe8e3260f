internal import JSON
public import Ledger
public import Time

/// Exports requests as a file: every row of a time range, newest first, page by page.
///
/// Each page is one short read. A slow reader therefore keeps no transaction of the ledger open,
/// and at most one page is in memory. New rows neither repeat nor hide a row of the export.
public struct UsageExport: Sendable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// A line of JSON for each row, as in the API's list.
    case jsonl
    /// The same columns as CSV, with a line of names first.
    case csv
    /// The FinOps Open Cost and Usage Specification, version 1.0, as CSV.
    case focus
  }

  /// Selects the rows of an export.
  public struct Rows: Sendable {
    /// Values that columns must equal.
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

  /// The rows of a page. With the largest metadata, a page has a few megabytes.
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
  ///   - showsProviderCosts: Whether the file has a column with the provider's cost.
  ///   - clientName: Returns the name of a client's ID; nil if the client no longer exists.
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

  /// Makes the next part of the file; nil at the end. The first part has the names of the columns,
  /// and may have no rows.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read.
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
      // Moves the buffer out, so that it is written in place and not copied.
      let start = lines.count
      lines = []
      UsageLogJSON.write(entry, columns, to: &writer)
      lines = writer.bytes
      // Metadata is JSON as the app sent it and may contain line breaks between its values.
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

/// A value of a row in any export format; nil if the row has none.
enum RowField: Sendable {
  case text(String?)
  case integer(Int64?)
  case boolean(Bool)
  /// JSON text, which is written unchanged.
  case json(String?)
}
