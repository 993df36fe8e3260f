/// The error of the estimates for one model, compared with the provider's reports.
public struct EstimateError: Hashable, Sendable {
  public var provider: String
  public var model: String
  /// Requests with reported usage, for which the estimate's error is known.
  public var checkedRequests: Int64
  /// Requests without reported usage, which were charged by an estimate.
  public var estimatedRequests: Int64
  /// The mean error in thousandths of the reported usage; nil if no request could be checked.
  public var meanPerMille: Int64?
  /// The error that 95 of 100 estimates don't exceed, in thousandths; nil if no request could be
  /// checked.
  public var percentile95PerMille: Int64?
}

extension LedgerReader {
  /// Returns the errors for each model of each provider, in the order of their names.
  /// - Throws: `LedgerError` if the database can't be read.
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
  /// The SQL of an estimate's error in whole thousandths of the reported usage. A thousand times an
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
