/// How far the estimates of one model's requests are from what its provider reported.
public struct EstimateError: Hashable, Sendable {
  public var provider: String
  public var model: String
  /// Requests whose usage was reported, so that their estimate can be told wrong.
  public var checkedRequests: Int64
  /// Requests that were charged by an estimate, since nothing was reported.
  public var estimatedRequests: Int64
  /// How far off the estimates are in the mean, in thousandths of what was reported; nil where
  /// nothing could be checked.
  public var meanPerMille: Int64?
  /// What 95 of 100 estimates are off at most.
  public var percentile95PerMille: Int64?
}

extension LedgerReader {
  /// For each model of each provider, in the order of their names.
  public func estimateErrors(_ filter: UsageFilter) throws(LedgerError) -> [EstimateError] {
    let select = try connection.prepare(
      LedgerReader.selectEstimateErrors(connection.dialect.perMilleOff))
    filter.bind(to: select)
    var errors: [EstimateError] = []
    try select.forEachRow { () throws(LedgerError) in
      guard let provider = select.text(0), let model = select.text(1) else { return }
      errors.append(
        EstimateError(
          provider: provider, model: model, checkedRequests: select.integer(2) ?? 0,
          estimatedRequests: select.integer(3) ?? 0, meanPerMille: select.integer(4),
          percentile95PerMille: select.integer(5)))
    }
    return errors
  }

  private static func selectEstimateErrors(_ error: String) -> String {
    """
    WITH checked AS (
      SELECT source, model, usage_source, \(error) AS error
      FROM usage_logs
      WHERE (CAST(?1 AS TEXT) IS NULL OR client_id = ?1) AND created_at >= ?2 AND created_at < ?3),
    ranked AS (
      SELECT *, count(error) OVER (PARTITION BY source, model) AS checks,
        row_number() OVER (PARTITION BY source, model ORDER BY error NULLS LAST) AS place
      FROM checked)
    SELECT source, model, max(checks),
      count(*) FILTER (WHERE usage_source = 'estimated'), CAST(round(avg(error)) AS BIGINT),
      max(CASE WHEN place <= (checks * 95 + 99) / 100 THEN error END)
    FROM ranked GROUP BY source, model ORDER BY source, model
    """
  }
}

extension Dialect {
  /// How far off an estimate is, in whole thousandths of what was reported. A thousand times an
  /// absurd figure doesn't fit into 64 bits.
  fileprivate var perMilleOff: String {
    switch self {
    case .sqlite:
      """
      CAST(abs(CAST(estimated_tokens AS REAL) - total_tokens) * 1000
        / nullif(total_tokens, 0) AS INTEGER)
      """
    case .postgresql:
      """
      CAST(least(9223372036854775807, trunc(abs(CAST(estimated_tokens AS NUMERIC) - total_tokens)
        * 1000 / nullif(total_tokens, 0))) AS BIGINT)
      """
    }
  }
}
