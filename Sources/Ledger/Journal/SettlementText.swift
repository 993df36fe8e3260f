internal import Budgets
internal import JSON
internal import Money
internal import Time

extension JSONWriter {
  /// The leases that a settlement's text contains.
  enum LeaseText {
    case nothing
    /// The leases that an intent on the offline reserve holds.
    case held
    /// The amounts to subtract from a replica's leases.
    case taken(from: ReplicaID)
  }

  /// Writes a settlement as an object. The record of its prices is long, and is omitted if it is
  /// already in the database.
  ///
  /// - Parameter more: Writes further members.
  mutating func settlement(
    _ settlement: SettledRequest, withPriceRecord: Bool, leases: LeaseText = .nothing,
    more: (inout JSONWriter) -> Void = { _ in }
  ) {
    object { text in
      more(&text)
      if case .taken(let replica) = leases { text.member("leaseholder", replica.text) }
      if let claim = settlement.claim {
        text.member("claim") { claimed in
          claimed.object { claimed in
            claimed.member("key", claim.key)
            claimed.member("request_sha256", claim.requestSHA256)
          }
        }
      }
      text.member("row") { row in row.record { settlement.row.write(to: &$0) } }
      if withPriceRecord {
        text.fields { $0.write("price_record", settlement.priceRecord) }
      }
      text.member("charges") { charges in
        charges.array { elements in
          for charge in settlement.charges { elements.charge(charge, leases) }
        }
      }
      if !settlement.draws.isEmpty {
        text.member("draws") { draws in
          draws.array { elements in
            for draw in settlement.draws { elements.record { draw.write(to: &$0) } }
          }
        }
      }
      if !settlement.objects.isEmpty {
        text.member("objects") { $0.providerObjects(settlement.objects) }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func charge(_ charge: BudgetCharge, _ leases: LeaseText) {
    object { text in
      text.fields { fields in
        charge.write(to: &fields)
        charge.writePart(to: &fields)
        switch leases {
        case .nothing: break
        case .held:
          fields.write("held_tokens", charge.heldOfLease.tokens)
          fields.write("held_nano", charge.heldOfLease.nanoUnits)
        case .taken:
          fields.write("leased_tokens", charge.takenOffLease.tokens)
          fields.write("leased_nano", charge.takenOffLease.nanoUnits)
        }
      }
      guard !charge.alerts.isEmpty else { return }
      text.member("alerts") { alerts in
        alerts.array { elements in
          for alert in charge.alerts { elements.record { alert.write(to: &$0) } }
        }
      }
    }
  }
}

/// Reads settlements from their JSON.
final class SettlementReader {
  private let parser = JSONParser()

  /// Returns the settlement in a text.
  func settlement(in json: String) throws(LedgerError) -> SettledRequest {
    try settlement(from: try read(json))
  }

  /// Parses a text. The value is valid until the next call.
  func read(_ json: String) throws(LedgerError) -> JSONValue {
    do {
      return try parser.parse(Array(json.utf8))
    } catch {
      throw .unreadable(record: "the JSON of a settlement")
    }
  }

  func settlement(from json: JSONValue) throws(LedgerError) -> SettledRequest {
    let row = try UsageRow(from: ObjectReader(json["row"]))
    var settlement = SettledRequest(
      row: row,
      charges: try elements(of: json["charges"], charge),
      draws: try elements(of: json["draws"]) { draw throws(LedgerError) in
        try CreditDraw(from: ObjectReader(draw))
      },
      priceRecord: ObjectReader(json).text("price_record"),
      claim: try claim(from: json["claim"], of: row),
      objects: try providerObjects(from: json["objects"]))
    settlement.leaseholder = json["leaseholder"]?.string.map { ReplicaID(text: $0) }
    return settlement
  }

  private func claim(
    from json: JSONValue?, of row: UsageRow
  ) throws(LedgerError) -> IdempotencyClaim? {
    guard let json else { return nil }
    let fields = ObjectReader(json)
    let record = "the claim of a report"
    return IdempotencyClaim(
      owner: IdempotencyClaim.usageOwner(of: row.clientID),
      key: try fields.requiredText("key", of: record),
      requestSHA256: try fields.requiredText("request_sha256", of: record),
      createdAt: row.createdAt)
  }

  private func charge(from json: JSONValue) throws(LedgerError) -> BudgetCharge {
    var charge = try BudgetCharge(from: ObjectReader(json))
    charge.alerts = try elements(of: json["alerts"]) { alert throws(LedgerError) in
      try Alert(from: ObjectReader(alert))
    }
    return charge
  }

  /// Returns the results of `read` for each element of an array; empty if the array is missing.
  func elements<Value>(
    of array: JSONValue?, _ read: (JSONValue) throws(LedgerError) -> Value
  ) throws(LedgerError) -> [Value] {
    guard let array else { return [] }
    var values: [Value] = []
    for element in array.elements { values.append(try read(element)) }
    return values
  }
}

/// Reads the fields of one JSON object. The text omits fields that are zero.
struct ObjectReader: FieldReader {
  private var integers: [String: Int64] = [:]
  private var texts: [String: String] = [:]

  init(_ object: JSONValue?) {
    guard let object else { return }
    for member in object.members {
      guard let key = member.key.string else { continue }
      integers[key] = member.value.integer
      texts[key] = member.value.string
    }
  }

  func integer(_ name: String) -> Int64? { integers[name] }
  func text(_ name: String) -> String? { texts[name] }
}

extension BudgetAccountKey {
  /// Writes the fields with the names of `budget_accounts`, in the order of its columns.
  func write(to fields: inout some FieldWriter) {
    fields.write("budget_id", budgetID.description)
    fields.write("subject", subject)
    fields.write("period", period)
    fields.write("window_start", windowStart.rfc3339)
    fields.write("window_end", windowEnd?.rfc3339)
    fields.write("currency", currency.code)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "a budget account"
    func text(_ name: String) throws(LedgerError) -> String {
      try fields.requiredText(name, of: record)
    }
    let end = fields.text("window_end")
    let windowEnd = end.flatMap { Timestamp(rfc3339: $0) }
    guard (end == nil) == (windowEnd == nil) else {
      throw .unreadable(record: "window_end of \(record)")
    }
    self.init(
      budgetID: try fields.required(
        "budget_id", of: record, BudgetID(recorded: try text("budget_id"))),
      subject: try text("subject"), period: try text("period"),
      windowStart: try fields.required(
        "window_start", of: record, Timestamp(rfc3339: try text("window_start"))),
      windowEnd: windowEnd,
      currency: try fields.required("currency", of: record, Currency(try text("currency"))))
  }
}

extension BudgetCharge {
  func write(to fields: inout some FieldWriter) {
    account.write(to: &fields)
    fields.write("tokens", tokens)
    fields.write("cost_nano", costNano)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    self.init(
      account: try BudgetAccountKey(from: fields), tokens: fields.integer("tokens") ?? 0,
      costNano: fields.integer("cost_nano") ?? 0,
      takenOffLease: Spend(
        tokens: fields.integer("leased_tokens") ?? 0,
        nanoUnits: fields.integer("leased_nano") ?? 0),
      heldOfLease: Spend(
        tokens: fields.integer("held_tokens") ?? 0, nanoUnits: fields.integer("held_nano") ?? 0),
      part: Consumption(partIn: fields))
  }

  fileprivate func writePart(to fields: inout some FieldWriter) {
    guard let part else { return }
    fields.write("part_tokens", part.tokens)
    fields.write(
      "part_nano_usd", part.cost.roundedUp(in: .usd, rate: .one)?.nanoUnits ?? .max)
  }
}

extension Consumption {
  /// The part that `BudgetCharge.writePart` wrote; nil if the charge has none.
  fileprivate init?(partIn fields: some FieldReader) {
    guard let tokens = fields.integer("part_tokens") else { return nil }
    self.init(
      tokens: max(0, tokens),
      cost: ExactAmount(nanoUSD: fields.integer("part_nano_usd") ?? 0))
  }
}

extension BudgetID {
  /// Parses `CLIENT/NAME`.
  init?(recorded text: String) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    self.init(
      client: String(text[..<slash]), name: String(text[text.index(after: slash)...]))
  }
}
