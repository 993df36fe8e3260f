internal import JSON

/// The output of a command, before it is text.
enum Report: Sendable {
  case nothing
  /// The same in every format; ends without a line break.
  case line(String)
  /// Several records: the rows of a table, or the API's `{"data":[…]}`.
  case list(Table)
  /// One record: a field a line, or a JSON object. `headline` replaces all of it in a table.
  case record(Record, headline: String? = nil)
  case document(Document)

  /// The whole text for standard output.
  func text(in format: OutputFormat, style: OutputStyle) -> String {
    switch (self, format) {
    case (.nothing, _): ""
    case (.line(let line), _): "\(line)\n"
    case (.list(let table), .table): TableText.render(table, style: style)
    case (.list(let table), .csv): CSVText.render(table)
    case (.list(let table), .json): json { $0.list(table) }
    case (.record(_, let headline?), .table): "\(headline)\n"
    case (.record(let record, nil), .table): RecordText.render(record)
    case (.record(let record, _), .csv): CSVText.render(record.table)
    case (.record(let record, _), .json): json { $0.record(record) }
    case (.document(let document), .table): document.text(style)
    case (.document(let document), .csv): CSVText.render(document.table)
    case (.document(let document), .json): json(document.json)
    }
  }

  private func json(_ content: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    content(&writer)
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }
}

/// The format of a report.
enum OutputFormat: String, Sendable, Hashable, CaseIterable {
  case table, json, csv
}
