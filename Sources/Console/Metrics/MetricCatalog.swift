internal import Metrics

/// All metrics with their names, types and help texts.
enum MetricCatalog {
  static let requests = MetricFamily(
    "catraca_requests_total", .counter, "Requests in usage_logs.", outlivesProcess: true)
  static let tokens = MetricFamily(
    "catraca_tokens_total", .counter,
    "Tokens in usage_logs; input and output contain the other kinds.", outlivesProcess: true)
  static let cost = MetricFamily(
    "catraca_cost_usd_total", .counter,
    "Charges of clients for the requests in usage_logs, in US dollars.",
    outlivesProcess: true)
  static let providerCost = MetricFamily(
    "catraca_provider_cost_usd_total", .counter,
    "Cost at providers of the requests in usage_logs, in US dollars.", outlivesProcess: true)
  static let denials = MetricFamily(
    "catraca_denials_total", .counter, "Requests refused by a budget since the start.")

  static let unwrittenDenials = MetricFamily(
    "catraca_denials_unwritten_total", .counter,
    "Requests refused by a budget since the start without a row in denials.")
  static let unmeteredRequests = MetricFamily(
    "catraca_unmetered_requests_total", .counter,
    "Requests since the start that passed to a provider without being metered.")

  static let missingPrices = MetricFamily(
    "catraca_unpriced_total", .counter,
    "Requests since the start that needed a price that the price book doesn't have.")

  static let usedTokens = MetricFamily(
    "catraca_budget_used_tokens", .gauge, "Settled tokens of a budget, or of its fullest subject.")
  static let heldTokens = MetricFamily(
    "catraca_budget_held_tokens", .gauge, "Tokens held by requests in flight.")
  static let limitTokens = MetricFamily(
    "catraca_budget_limit_tokens", .gauge, "The limit in force, a raise included.")
  static let usedCost = MetricFamily(
    "catraca_budget_used_cost", .gauge,
    "Settled cost of a budget, or of its fullest subject, in its currency.")
  static let heldCost = MetricFamily(
    "catraca_budget_held_cost", .gauge, "Cost held by requests in flight, in the currency.")
  static let limitCost = MetricFamily(
    "catraca_budget_limit_cost", .gauge, "The limit in force, a raise included, in the currency.")

  static let overhead = MetricFamily(
    "catraca_overhead_seconds", .histogram, "Time that Catraca itself added before forwarding.")
  static let upstreamLatency = MetricFamily(
    "catraca_upstream_latency_seconds", .histogram,
    "From sending a request to the end of the provider's answer.")
  static let timeToFirstToken = MetricFamily(
    "catraca_time_to_first_token_seconds", .histogram,
    "From a request's receipt to the first byte of the answer's body.")

  static let connections = MetricFamily(
    "catraca_connections", .gauge, "Open connections of clients.")
  static let requestsInFlight = MetricFamily(
    "catraca_requests_in_flight", .gauge, "Requests and sessions being served.")
  static let ledgerLag = MetricFamily(
    "catraca_ledger_lag_seconds", .gauge,
    "Age of the oldest record that is not in the ledger's database yet.")
  static let reloads = MetricFamily(
    "catraca_config_reloads_total", .counter,
    "Edits of the configuration put in force since the start.")
  static let reloadFailures = MetricFamily(
    "catraca_config_reload_failures_total", .counter,
    "Edits of the configuration refused since the start.")
  static let overruns = MetricFamily(
    "catraca_overruns_total", .counter, "Requests in usage_logs that used more than was held.",
    outlivesProcess: true)
  static let droppedSpans = MetricFamily(
    "catraca_dropped_spans_total", .counter,
    "Spans since the start that no collector took.")
  static let limitsMet = MetricFamily(
    "catraca_limits_met_total", .counter,
    "Times that clients met a limit of a listener since the start.")
  static let build = MetricFamily("catraca_build_info", .gauge, "The release, always 1.")

  /// Every family with the names of its labels, in the order of the documentation.
  static let all: [(MetricFamily, labels: String)] = [
    (requests, "client, provider, model, operation, outcome"),
    (tokens, "client, provider, model, kind"),
    (cost, "client, provider, model"),
    (providerCost, "client, provider, model"),
    (denials, "client, reason"),
    (unwrittenDenials, "client, reason"),
    (unmeteredRequests, "client"),
    (missingPrices, "provider, kind"),
    (usedTokens, "budget, currency"),
    (heldTokens, "budget, currency"),
    (limitTokens, "budget, currency"),
    (usedCost, "budget, currency"),
    (heldCost, "budget, currency"),
    (limitCost, "budget, currency"),
    (overhead, ""),
    (upstreamLatency, ""),
    (timeToFirstToken, ""),
    (connections, "listener"),
    (requestsInFlight, ""),
    (ledgerLag, ""),
    (reloads, ""),
    (reloadFailures, ""),
    (overruns, ""),
    (droppedSpans, ""),
    (limitsMet, "limit"),
    (build, "version"),
  ]
}

/// A metric's entry in the manual, from the catalog that also names its samples.
public struct MetricReference: Hashable, Sendable {
  /// The name of its samples, such as `catraca_requests_total`.
  public let name: String
  /// `counter`, `gauge` or `histogram`.
  public let kind: String
  /// The names of its labels, with commas between them; empty if it has none.
  public let labels: String
  public let meaning: String

  /// Every metric, in the order of the documentation.
  public static let all: [MetricReference] = MetricCatalog.all.map { family, labels in
    MetricReference(
      name: "\(family.name)", kind: family.kind.rawValue, labels: labels, meaning: "\(family.help)")
  }
}
