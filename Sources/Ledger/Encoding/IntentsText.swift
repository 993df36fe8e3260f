internal import JSON

/// What `in_flight.intents` holds: the settlements that recovery would make of the intents that
/// were opened in one commit.
///
/// The names of the fields stand in it once, and each intent is the values in their order, since a
/// name before each value would cost a request more than the values do. What few intents have,
/// draws or alerts, has no place among them: these are written as objects, as earlier releases
/// wrote all of them, in a mere array.
///
///     {"row":["request_id",…],"charge":["budget_id",…],"intents":[[[…],[[…],…]],{"row":{…},…}]}
extension JSONWriter {
  /// Writes intents, without the records of their prices, which the database has already.
  mutating func intents(_ intents: [SettledRequest]) {
    object { text in
      text.key(constant: "row")
      text.array { names in
        if let first = intents.first {
          names.fields(FieldNames.self) { first.row.write(to: &$0) }
        }
      }
      text.key(constant: "charge")
      text.array { names in
        if let first = intents.lazy.flatMap(\.charges).first {
          names.fields(FieldNames.self) { first.write(to: &$0) }
        }
      }
      text.key(constant: "intents")
      text.array { elements in
        for intent in intents { elements.intent(intent) }
      }
    }
  }

  private mutating func intent(_ intent: SettledRequest) {
    guard intent.draws.isEmpty, intent.charges.allSatisfy(\.alerts.isEmpty) else {
      return settlement(intent, withPriceRecord: false)
    }
    array { parts in
      parts.array { values in
        values.fields(FieldValues.self) { intent.row.write(to: &$0) }
      }
      parts.array { charges in
        for charge in intent.charges {
          charges.array { values in
            values.fields(FieldValues.self) { charge.write(to: &$0) }
          }
        }
      }
    }
  }
}

/// Writes the names of fields into the array that is being written.
private struct FieldNames: JSONFieldWriter {
  var writer: JSONWriter

  mutating func write(_ name: StaticString, _ value: Int64?) { writer.string(constant: name) }
  mutating func write(_ name: StaticString, _ value: String?) { writer.string(constant: name) }
}

/// Writes the values of fields into the array that is being written.
private struct FieldValues: JSONFieldWriter {
  var writer: JSONWriter

  mutating func write(_ name: StaticString, _ value: Int64?) {
    if let value { writer.integer(value) } else { writer.null() }
  }

  mutating func write(_ name: StaticString, _ value: String?) {
    if let value { writer.string(value) } else { writer.null() }
  }
}

extension SettlementReader {
  /// The settlements in a text that `JSONWriter.intents` wrote, or an earlier release.
  func intents(in text: String) throws(LedgerError) -> [SettledRequest] {
    let json = try read(text)
    if json.kind == .array { return try elements(of: json, settlement(from:)) }
    let (row, charge) = (FieldPlaces(json["row"]), FieldPlaces(json["charge"]))
    return try elements(of: json["intents"]) { intent throws(LedgerError) in
      guard intent.kind == .array else { return try settlement(from: intent) }
      var parts = intent.elements.makeIterator()
      guard let values = parts.next(), let charges = parts.next() else {
        throw .unreadable(record: "an intent in in_flight")
      }
      return SettledRequest(
        row: try UsageRow(from: ValueReader(values, at: row)),
        charges: try elements(of: charges) { values throws(LedgerError) in
          try BudgetCharge(from: ValueReader(values, at: charge))
        },
        priceRecord: nil)
    }
  }
}

/// Where the values of fields stand in the arrays of a text.
private struct FieldPlaces {
  private var places: [String: Int] = [:]

  init(_ names: JSONValue?) {
    guard let names else { return }
    for (place, name) in names.elements.enumerated() {
      if let name = name.string { places[name] = place }
    }
  }

  subscript(name: String) -> Int? { places[name] }
}

/// One array of values that was read.
private struct ValueReader: FieldReader {
  private let values: [JSONValue]
  private let places: FieldPlaces

  init(_ values: JSONValue, at places: FieldPlaces) {
    self.values = Array(values.elements)
    self.places = places
  }

  func integer(_ name: String) -> Int64? { value(name)?.integer }
  func text(_ name: String) -> String? { value(name)?.string }

  private func value(_ name: String) -> JSONValue? {
    guard let place = places[name], values.indices.contains(place) else { return nil }
    return values[place]
  }
}
