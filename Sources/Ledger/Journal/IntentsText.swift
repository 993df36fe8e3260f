internal import JSON

/// The text of `in_flight.intents`: the settlements that recovery would make of the intents that
/// were opened in one commit.
///
/// The intents of one commit are similar. Writing each of them in full would cost a third of
/// writing the request's row in `usage_logs`. The text therefore contains the first intent in full,
/// in the form of the spool, and of each later intent only the differences. These are the row's
/// fields with other values, including NULL and zero, and the tokens and cost of a charge to the
/// same account. An intent with draws, objects or alerts is rare and is written in full.
///
///     {"intents":[{"row":{…},"charges":[…]},[{"request_id":"…"},[[50,700],{…}]],…]}
extension JSONWriter {
  /// Writes intents without the records of their prices, which are already in the database.
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
        // Releases the buffer here, so that it is changed in place instead of copied.
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
  /// Whether the settlement has more than its row and plain charges.
  fileprivate var hasRarities: Bool {
    !draws.isEmpty || !objects.isEmpty
      || !charges.allSatisfy { $0.alerts.isEmpty && $0.part == nil }
  }
}

private enum FieldValue {
  case integer(Int64?)
  case text(String?)
}

/// Collects the values of fields in their order.
private struct FieldCollector: FieldWriter {
  private(set) var values: [FieldValue] = []

  mutating func write(_ name: StaticString, _ value: Int64?) { values.append(.integer(value)) }
  mutating func write(_ name: StaticString, _ value: String?) { values.append(.text(value)) }
}

/// Writes the fields that differ from another record of the same kind.
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
  /// Returns the settlements in a text that `JSONWriter.intents` wrote.
  ///
  /// - Throws: `unreadable` for any other text.
  func intents(in text: String) throws(LedgerError) -> [SettledRequest] {
    let json = try read(text)
    guard let intents = json["intents"], intents.kind == .array else { throw .unreadableIntent }
    var first: (settlement: SettledRequest, row: ObjectReader)?
    return try elements(of: intents) { intent throws(LedgerError) in
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

/// Reads a record from another one and the fields that differ from it.
private struct DifferenceReader: FieldReader {
  private let known: ObjectReader
  private let different: ObjectReader
  /// The names of the differing fields, including fields that are NULL.
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
