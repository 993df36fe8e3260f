extension Migration {
  /// From which on the names of an intent's fields stand in a row of `in_flight` once, before the
  /// values of all its intents: see `JSONWriter.intents`. What is there is read as it is.
  ///
  /// Servers that know objects alone could not bring what another left to its end: it isn't
  /// additive.
  static let intentValues = Migration(
    number: 21, name: "values of intents",
    sqlite: "-- Nothing to change: texts are written anew with every commit.",
    postgresql: "COMMENT ON COLUMN in_flight.intents IS 'names of fields, then values of intents'")
}
