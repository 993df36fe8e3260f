public import Budgets

/// A request's row together with its changes outside `usage_logs`.
///
/// Copies share one content object, because the value is passed on often and contains many strings.
public struct SettledRequest: Hashable, Sendable {
  private struct Content: Hashable, Sendable {
    var row: UsageRow
    var charges: [BudgetCharge]
    var draws: [CreditDraw]
    var priceRecord: String?
    var upstreamMicroseconds: Int64?
    var leaseholder: ReplicaID?
    var claim: IdempotencyClaim?
    var objects: [ProviderObject]
  }

  private final class Shared: Sendable {
    let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  private var shared: Shared

  public init(
    row: UsageRow, charges: [BudgetCharge], draws: [CreditDraw] = [], priceRecord: String?,
    upstreamMicroseconds: Int64? = nil, claim: IdempotencyClaim? = nil,
    objects: [ProviderObject] = []
  ) {
    shared = Shared(
      Content(
        row: row, charges: charges, draws: draws, priceRecord: priceRecord,
        upstreamMicroseconds: upstreamMicroseconds, claim: claim, objects: objects))
  }

  public var row: UsageRow {
    _read { yield shared.content.row }
    set { change { $0.row = newValue } }
  }

  /// The amounts that are added to budget counters, in the same transaction.
  public var charges: [BudgetCharge] {
    get { shared.content.charges }
    set { change { $0.charges = newValue } }
  }

  /// The amounts that the client's credits pay, in the same transaction.
  public var draws: [CreditDraw] {
    get { shared.content.draws }
    set { change { $0.draws = newValue } }
  }

  /// The prices that `row.priceVersion` names, for recomputing the cost. They are written once for
  /// each version. May be nil if the intent has already brought them.
  public var priceRecord: String? {
    get { shared.content.priceRecord }
    set { change { $0.priceRecord = newValue } }
  }

  /// The time from sending to the end of the provider's answer, for metrics; not stored.
  public var upstreamMicroseconds: Int64? { shared.content.upstreamMicroseconds }

  /// The key that is claimed with the row. If it was claimed before, nothing is written.
  public var claim: IdempotencyClaim? { shared.content.claim }

  /// The objects that the provider's answer shows. They belong to the client from then on.
  public var objects: [ProviderObject] {
    get { shared.content.objects }
    set { change { $0.objects = newValue } }
  }

  /// The replica whose leases pay for the charges, if the settlement waited in a spool; nil
  /// otherwise.
  var leaseholder: ReplicaID? {
    get { shared.content.leaseholder }
    set { change { $0.leaseholder = newValue } }
  }

  private mutating func change(_ edit: (inout Content) -> Void) {
    var content = shared.content
    edit(&content)
    shared = Shared(content)
  }

  public static func == (one: SettledRequest, other: SettledRequest) -> Bool {
    one.shared.content == other.shared.content
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(shared.content)
  }
}

/// The estimate that would have been made for a request whose usage was reported.
public struct EstimateCheck: Hashable, Sendable {
  /// Input and output together, by the model's rates at the settlement.
  public var estimatedTokens: Int64
  /// Bytes of the input text that the reported tokens were made from; 0 if the tokens include more
  /// than text.
  public var inputTextBytes: Int64
  public var outputTextBytes: Int64
  /// The choices that the request asked for (`n`), at least 1. The output tokens are those of all
  /// choices.
  public var choices: Int64

  public init(
    estimatedTokens: Int64, inputTextBytes: Int64, outputTextBytes: Int64, choices: Int64 = 1
  ) {
    self.choices = max(1, choices)
    self.estimatedTokens = estimatedTokens
    self.inputTextBytes = inputTextBytes
    self.outputTextBytes = outputTextBytes
  }
}
