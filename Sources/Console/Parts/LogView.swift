internal import Configuration
internal import Ledger
internal import Pages
internal import Time

/// The part of a log that a page shows, as its address names it.
struct LogView {
  /// The values of the filters, by name.
  let values: [String: String]
  /// The number of recent days; nil for all.
  let days: Int?
  /// The first day and the day after the last, as in the address.
  private let from: String?
  private let to: String?
  let cursor: LogCursor?
  /// The time zone of the client in the filter; without one, UTC.
  let zone: TimeZoneRules
  private let since: Timestamp?
  private let until: Timestamp?

  /// The parameters of the address besides filters.
  static let parameters = [
    QueryParameter("days", "only the last days: 1, 7, 30, 90 or 366"),
    QueryParameter("from", "from this instant, RFC 3339 or a date"),
    QueryParameter("to", "until before this instant"),
    QueryParameter("after", "where the page begins"),
  ]

  private static let spans = [1, 7, 30, 90, 366]

  /// - Parameter filters: The names of the page's filters.
  init(_ pageRequest: PageRequest, filters: [String]) throws(APIError) {
    let query = pageRequest.call.query
    var values: [String: String] = [:]
    for name in filters { values[name] = try query.text(name) }
    self.values = values
    days = try query.text("days").flatMap { Int($0) }
    if let days, !LogView.spans.contains(days) {
      throw .invalidValue("days", allowed: LogView.spans.map(String.init).joined(separator: ", "))
    }
    let after = try query.text("after")
    cursor = after.flatMap { LogCursor($0) }
    guard (after == nil) == (cursor == nil) else {
      throw .invalidValue("after", allowed: "the cursor of the previous page")
    }
    let zone = values["client"].flatMap { pageRequest.call.clients.client($0)?.timeZone } ?? .utc
    self.zone = zone
    from = try query.text("from")
    to = try query.text("to")
    until = try query.moment("to", in: zone)
    let firstOfDays = days.map { days in
      zone.startOfDay(zone.civilDate(of: pageRequest.now).adding(days: 1 - days))
    }
    since = [try query.moment("from", in: zone), firstOfDays].compactMap(\.self).max()
  }

  /// The range to read: one entry more than the page shows, to find out whether there is a next
  /// page.
  func range(_ pageLength: Int) -> LogRange {
    LogRange(since: since, until: until, cursor: cursor, limit: pageLength + 1)
  }

  /// The text that replaces a table without entries.
  var empty: Phrase {
    values.isEmpty && since == nil && until == nil && cursor == nil ? .nothingYet : .nothingFound
  }

  func timeFields(_ reader: Reader) -> [HTML] {
    [
      FilterField.choice(
        "days", reader(.period), days.map(String.init),
        [("", reader(.ever))]
          + LogView.spans.map { ("\($0)", reader($0 == 1 ? .today : .lastDays($0))) }),
      FilterField.date("from", reader(.from), from), FilterField.date("to", reader(.before), to),
    ]
  }

  /// The link to the next page; nil on the last.
  func older(_ next: String?, _ page: PageAddress, _ reader: Reader) -> HTML? {
    guard let next else { return nil }
    var address = page
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      address = address.with(parameter: name, value)
    }
    address = address.with("days", days.map(String.init)).with("from", from).with("to", to)
      .with("after", next)
    return #"<p><a href="\#(address)">\#(reader(.older))</a></p>"#
  }
}

extension Phrase {
  fileprivate static let ever = Phrase("All time", "Desde o início")
  fileprivate static let from = Phrase("From", "De")
  fileprivate static let before = Phrase("Before", "Antes de")
  fileprivate static let today = Phrase("Today", "Hoje")
}
