/// How a report is written.
enum OutputFormat: String, Sendable, Hashable, CaseIterable {
  case table, json, csv
}
