internal import Ledger
internal import Pages
internal import Time

/// The margin of all clients, by client or by model. Only administrators see this part of the
/// billing page.
struct Margins {
  private let pageRequest: PageRequest
  private let days: Int
  private let grouping: UsageGrouping

  static let parameters = [
    QueryParameter("by", "client or model, for the margin"),
    QueryParameter("days", "7, 30, 60 or 90, for the margin"),
  ]

  private static let most = 50
  private static let groupings: [UsageGrouping] = [.client, .model]
  private static let spans = [7, 30, 60, 90]

  /// Nil for a visitor who may not see what providers charge.
  init?(_ pageRequest: PageRequest) throws(APIError) {
    guard pageRequest.call.showsProviderCosts else { return nil }
    self.pageRequest = pageRequest
    grouping = try pageRequest.call.query.choice("by", of: Margins.groupings) ?? .client
    days = try pageRequest.call.query.text("days").map { Int($0) ?? 0 } ?? 30
    guard Margins.spans.contains(days) else {
      let allowed = Margins.spans.map(String.init).joined(separator: ", ")
      throw .invalidValue("days", allowed: allowed)
    }
  }

  func html() throws(APIError) -> HTML {
    let reader = pageRequest.reader
    let series = try UsageReportView(pageRequest.call, client: nil, zone: .utc, days: days)
      .series(by: grouping, most: Margins.most)
    let table = MarginTable(
      series, by: grouping, isPartial: series.lines.count >= Margins.most, pageRequest)
    return #"""
      <section class="card stack"><div class="head"><h2>\#(reader(.margin))</h2>\#
      <div class="actions">\#(spanTabs)\#(groupTabs)</div></div>\#
      <p class="small soft">\#(reader(.marginExplained(days)))</p>\#
      <div id="margins" data-live>\#(table.html)</div></section>
      """#
  }

  private var spanTabs: HTML {
    Tabs(
      pageRequest.reader(.days),
      Margins.spans.map { Tabs.Tab("\($0)", address(grouping, $0), isCurrent: $0 == days) }
    ).html
  }

  private var groupTabs: HTML {
    Tabs(
      pageRequest.reader(.margin),
      Margins.groupings.map { each in
        Tabs.Tab(
          pageRequest.reader(each == .client ? .byClient : .byModel), address(each, days),
          isCurrent: each == grouping)
      }
    ).html
  }

  private func address(_ grouping: UsageGrouping, _ days: Int) -> PageAddress {
    SitePath.billing.with("by", grouping.rawValue).with("days", "\(days)")
  }
}

extension Phrase {
  fileprivate static let byClient = Phrase("by client", "por cliente")
  fileprivate static let byModel = Phrase("by model", "por modelo")
  fileprivate static func marginExplained(_ days: Int) -> Phrase {
    Phrase(
      "The clients' charges for their requests in the last \(days) days (UTC), less the "
        + "providers' charges for them. Plan fees and tiers are not included.",
      "O que foi cobrado dos clientes pelas requisições dos últimos \(days) dias (UTC), menos o "
        + "que os provedores cobram por elas. Mensalidades e faixas dos planos não entram.")
  }
}
