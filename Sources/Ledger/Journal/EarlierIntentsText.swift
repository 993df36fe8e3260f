internal import JSON

/// What earlier releases wrote into `in_flight.intents`: an array of settlements as objects; then
/// the names of the fields once, and of each intent the values in their order.
///
///     {"row":["request_id",…],"charge":["budget_id",…],"intents":[[[…],[[…],…]],{"row":{…},…}]}
extension SettlementReader {
  /// Nil where a text isn't of an earlier release.
  func earlierIntents(in json: JSONValue) throws(LedgerError) -> [SettledRequest]? {
    if json.kind == .array { return try elements(of: json, settlement(from:)) }
    guard let names = json["row"] else { return nil }
    let (row, charge) = (FieldPlaces(names), FieldPlaces(json["charge"]))
    return try elements(of: json["intents"]) { intent throws(LedgerError) in
      guard intent.kind == .array else { return try settlement(from: intent) }
      var parts = intent.elements.makeIterator()
      guard let values = parts.next(), let charges = parts.next() else { throw .unreadableIntent }
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
