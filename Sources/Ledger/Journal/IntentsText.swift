internal import JSON

/// What `in_flight.intents` holds: the settlements that recovery would make of the intents that
/// were opened in one commit.
///
/// They are much alike, and writing each of them whole would cost a request a third of what its
/// row in `usage_logs` does. So the first stands there as an object, as a spool has it, and of
/// those after it what differs: the fields of the row that have another value, NULL and zero
/// included, and of a charge to the same account the tokens and the cost. What few intents have,
/// draws or alerts, has no place there: these are whole, too. Earlier releases wrote otherwise:
/// `EarlierIntentsText`.
///
///     {"intents":[{"row":{…},"charges":[…]},[{"request_id":"…"},[[50,700],{…}]],…]}
extension JSONWriter {
  /// Writes intents, without the records of their prices, which the database has already.
  mutating func intents(_ intents: [SettledRequest]) {
    object { text in
      text.key(constant: "intents")
      text.array { elements in
        guard let first = intents.first else { return }
        elements.settlement(first, withPriceRecord: false)
        guard intents.count > 1 else { return }
        var known = FieldCollector()
        first.row.write(to: &known)
        for intent in intents.dropFirst() {
          if intent.hasRarities {
            elements.settlement(intent, withPriceRecord: false)
          } else {
            elements.difference(of: intent, from: first, known.values)
          }
        }
      }
    }
  }

  private mutating func difference(
    of intent: SettledRequest, from first: SettledRequest, _ known: [FieldValue]
  ) {
    array { parts in
      parts.object { row in
        var fields = DifferentFields(writer: row, known: known)
        // Let go of the buffer here, so that it is written in place and not copied.
        row = JSONWriter()
        intent.row.write(to: &fields)
        row = fields.writer
      }
      let firstCharges = first.charges
      parts.array { charges in
        for (place, charge) in intent.charges.enumerated() {
          if place < firstCharges.count, charge.account == firstCharges[place].account {
            charges.array { amounts in
              amounts.integer(charge.tokens)
              amounts.integer(charge.costNano)
            }
          } else {
            charges.record { charge.write(to: &$0) }
          }
        }
      }
    }
  }
}

extension SettledRequest {
  /// Whether there is more to it than its row and plain charges.
  fileprivate var hasRarities: Bool {
    !draws.isEmpty || !objects.isEmpty || !charges.allSatisfy(\.alerts.isEmpty)
  }
}

private enum FieldValue {
  case integer(Int64?)
  case text(String?)
}

/// Keeps the values of fields, in their order.
private struct FieldCollector: FieldWriter {
  private(set) var values: [FieldValue] = []

  mutating func write(_ name: StaticString, _ value: Int64?) { values.append(.integer(value)) }
  mutating func write(_ name: StaticString, _ value: String?) { values.append(.text(value)) }
}

/// Writes those fields that differ from another record's of the same kind.
private struct DifferentFields: FieldWriter {
  var writer: JSONWriter
  let known: [FieldValue]
  private var place = 0

  init(writer: JSONWriter, known: [FieldValue]) {
    self.writer = writer
    self.known = known
  }

  mutating func write(_ name: StaticString, _ value: Int64?) {
    defer { place += 1 }
    if case .integer(value) = known[place] { return }
    writer.key(constant: name)
    if let value { writer.integer(value) } else { writer.null() }
  }

  mutating func write(_ name: StaticString, _ value: String?) {
    defer { place += 1 }
    if case .text(value) = known[place] { return }
    writer.key(constant: name)
    if let value { writer.string(value) } else { writer.null() }
  }
}

extension SettlementReader {
  /// The settlements in a text that `JSONWriter.intents` wrote, or an earlier release.
  func intents(in text: String) throws(LedgerError) -> [SettledRequest] {
    let json = try read(text)
    if let earlier = try earlierIntents(in: json) { return earlier }
    var first: (settlement: SettledRequest, row: ObjectReader)?
    return try elements(of: json["intents"]) { intent throws(LedgerError) in
      if intent.kind == .array, let first {
        return try difference(intent, from: first.settlement, first.row)
      }
      let whole = try settlement(from: intent)
      if first == nil { first = (whole, ObjectReader(intent["row"])) }
      return whole
    }
  }

  private func difference(
    _ parts: JSONValue, from first: SettledRequest, _ row: ObjectReader
  ) throws(LedgerError) -> SettledRequest {
    var parts = parts.elements.makeIterator()
    guard let fields = parts.next(), let charges = parts.next() else { throw .unreadableIntent }
    let known = first.charges
    var place = 0
    return SettledRequest(
      row: try UsageRow(from: DifferenceReader(fields, from: row)),
      charges: try elements(of: charges) { charge throws(LedgerError) in
        defer { place += 1 }
        guard charge.kind == .array else { return try BudgetCharge(from: ObjectReader(charge)) }
        let amounts = charge.elements.map(\.integer)
        guard amounts.count == 2, let tokens = amounts[0], let costNano = amounts[1],
          place < known.count
        else { throw .unreadableIntent }
        return BudgetCharge(account: known[place].account, tokens: tokens, costNano: costNano)
      },
      priceRecord: nil)
  }
}

extension LedgerError {
  static var unreadableIntent: LedgerError { .unreadable(record: "an intent in in_flight") }
}

/// A record of which only those fields were read that differ from another's.
private struct DifferenceReader: FieldReader {
  private let known: ObjectReader
  private let different: ObjectReader
  /// Also of fields that are NULL.
  private let names: Set<String>

  init(_ object: JSONValue, from known: ObjectReader) {
    self.known = known
    different = ObjectReader(object)
    names = Set(object.members.compactMap(\.key.string))
  }

  func integer(_ name: String) -> Int64? {
    names.contains(name) ? different.integer(name) : known.integer(name)
  }

  func text(_ name: String) -> String? {
    names.contains(name) ? different.text(name) : known.text(name)
  }
}
