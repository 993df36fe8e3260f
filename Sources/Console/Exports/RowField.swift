/// A value of a row in any export format; nil if the row has none.
enum RowField: Sendable {
  case text(String?)
  case integer(Int64?)
  case boolean(Bool)
  /// JSON text, which is written unchanged.
  case json(String?)
}
