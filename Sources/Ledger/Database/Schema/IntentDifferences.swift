extension Migration {
  /// From which on a row of `in_flight` has its first intent whole, and of the others what differs
  /// from it: see `JSONWriter.intents`. What is there is read as it is.
  ///
  /// For the same reason as `intentValues` it isn't additive.
  static let intentDifferences = Migration(
    number: 24, name: "differences of intents",
    sqlite: "-- Nothing to change: texts are written anew with every commit.",
    postgresql: "COMMENT ON COLUMN in_flight.intents IS 'an intent, then how others differ'")
}
