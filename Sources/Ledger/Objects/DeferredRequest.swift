public import Budgets
internal import JSON
internal import Money
internal import Pricing

/// A request whose provider has answered and goes on with the work: a response made in the
/// background, or a batch. Its usage is known only when that work has ended.
public struct DeferredRequest: Hashable, Sendable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case response, batch
  }

  /// How far the request is settled; a batch is, some lines at a time.
  public struct Progress: Hashable, Sendable {
    /// Lines of the results that have their rows, from the first on.
    public var settledLines: Int64
    /// The rest of the hold.
    public var heldTokens: Int64
    public var heldNanoUSD: Int64

    public init(settledLines: Int64 = 0, heldTokens: Int64, heldNanoUSD: Int64) {
      self.settledLines = settledLines
      self.heldTokens = heldTokens
      self.heldNanoUSD = heldNanoUSD
    }
  }

  public var kind: Kind
  /// The provider's id of the work: `resp_…`, `batch_…`.
  public var objectID: String
  /// The row if the end of the work stays unknown: its intent's estimate.
  public var expected: SettledRequest
  /// The model by its name in the price book; nil where nothing is charged by policy.
  public var pricedModel: String?
  /// The service tier that was asked for.
  public var serviceTier: String?
  /// Within which time the response is to be complete, where the request leaves the provider more
  /// than it needs: its answer doesn't say that.
  public var completionWindow: String?
  /// The model of a tool that draws, if the request has one.
  public var imageModel: String?
  /// Whether the work is in the account of the client's own key at the provider.
  public var usesOwnKey: Bool
  public var progress: Progress

  /// As the request stands when its provider has answered.
  public init(
    _ kind: Kind, objectID: String, intent: Intent, pricedModel: String?, serviceTier: String?,
    completionWindow: String? = nil, imageModel: String?, usesOwnKey: Bool = false
  ) {
    self.kind = kind
    self.objectID = objectID
    expected = intent.interrupted
    self.pricedModel = pricedModel
    self.serviceTier = serviceTier
    self.completionWindow = completionWindow
    self.imageModel = imageModel
    self.usesOwnKey = usesOwnKey
    progress = Progress(
      heldTokens: expected.row.heldTokens, heldNanoUSD: expected.row.heldNanoUSD)
  }

  public var requestID: RequestID { expected.row.requestID }
  public var provider: String { expected.row.provider }

  /// The hold as a new process takes it up again.
  public var recordedHold: RecordedHold {
    expected.hold(of: progress.heldTokens, costing: progress.heldNanoUSD)
  }
}

extension SettledRequest {
  /// The hold of a request that has not ended, for which this is recorded if nothing more is heard
  /// of it.
  var recordedHold: RecordedHold { hold(of: row.heldTokens, costing: row.heldNanoUSD) }

  fileprivate func hold(of tokens: Int64, costing nanoUSD: Int64) -> RecordedHold {
    RecordedHold(
      bound: Consumption(tokens: tokens, nanoUSD: nanoUSD),
      estimate: Consumption(tokens: row.usage.totalTokens, nanoUSD: row.costNanoUSD),
      places: charges.compactMap { charge in
        guard let subject = Subject(text: charge.account.subject) else { return nil }
        return RecordedHold.Place(
          budget: charge.account.budgetID, subject: subject, period: charge.account.period,
          window: BudgetWindow(
            start: charge.account.windowStart, end: charge.account.windowEnd),
          part: charge.part)
      })
  }
}

/// Rows of a deferred request, and how far it is settled with them: all of it, or nothing, is
/// written.
public struct DeferredSettlement: Hashable, Sendable {
  public var requestID: RequestID
  public var rows: [SettledRequest]
  /// Nil where these are the last.
  public var progress: DeferredRequest.Progress?

  public init(
    of requestID: RequestID, rows: [SettledRequest], progress: DeferredRequest.Progress?
  ) {
    self.requestID = requestID
    self.rows = rows
    self.progress = progress
  }
}

extension Consumption {
  fileprivate init(tokens: Int64, nanoUSD: Int64) {
    self.init(tokens: max(tokens, 0), cost: ExactAmount(nanoUSD: nanoUSD))
  }
}

extension DeferredRequest {
  /// The fields under the names of `deferred_requests`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    var text = JSONWriter()
    text.settlement(expected, withPriceRecord: false) { settlement in
      if usesOwnKey { settlement.member("own_key", true) }
      if let completionWindow { settlement.member("completion_window", completionWindow) }
    }
    fields.write("request_id", requestID.description)
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("kind", kind.rawValue)
    fields.write("expected", String(decoding: text.bytes, as: UTF8.self))
    fields.write("priced_model", pricedModel)
    fields.write("service_tier", serviceTier)
    fields.write("image_model", imageModel)
    progress.write(to: &fields)
  }

  init(from fields: some FieldReader, _ settlements: SettlementReader) throws(LedgerError) {
    let id = try fields.requiredText("request_id", of: "a deferred request")
    let record = "deferred request \(id)"
    kind = try fields.required(
      "kind", of: record, Kind(rawValue: try fields.requiredText("kind", of: record)))
    objectID = try fields.requiredText("object_id", of: record)
    let text = try settlements.read(try fields.requiredText("expected", of: record))
    expected = try settlements.settlement(from: text)
    usesOwnKey = text["own_key"]?.boolean ?? false
    completionWindow = text["completion_window"]?.string
    pricedModel = fields.text("priced_model")
    serviceTier = fields.text("service_tier")
    imageModel = fields.text("image_model")
    progress = Progress(from: fields)
  }
}

extension DeferredRequest.Progress {
  func write(to fields: inout some FieldWriter) {
    fields.write("settled_lines", settledLines)
    fields.write("held_tokens", heldTokens)
    fields.write("held_nano_usd", heldNanoUSD)
  }

  init(from fields: some FieldReader) {
    self.init(
      settledLines: fields.integer("settled_lines") ?? 0,
      heldTokens: fields.integer("held_tokens") ?? 0,
      heldNanoUSD: fields.integer("held_nano_usd") ?? 0)
  }
}

extension JSONWriter {
  /// Writes the text that `SettlementReader.deferredSettlement` reads.
  mutating func deferredSettlement(_ settlement: DeferredSettlement) {
    object { text in
      text.member("request_id", settlement.requestID.description)
      if let progress = settlement.progress {
        text.member("progress") { object in object.record { progress.write(to: &$0) } }
      }
      text.member("rows") { rows in
        rows.array { elements in
          for row in settlement.rows { elements.settlement(row, withPriceRecord: true) }
        }
      }
    }
  }
}

extension SettlementReader {
  func deferredSettlement(from json: JSONValue) throws(LedgerError) -> DeferredSettlement {
    let members = ObjectReader(json)
    return DeferredSettlement(
      of: try members.required(
        "request_id", of: "a deferred settlement",
        members.text("request_id").flatMap { RequestID($0) }),
      rows: try elements(of: json["rows"], settlement(from:)),
      progress: json["progress"].map { DeferredRequest.Progress(from: ObjectReader($0)) })
  }
}
