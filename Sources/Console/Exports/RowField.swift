/// A value of a row, for each of the forms in which rows are written; nil where a row has none.
enum RowField: Sendable {
  case text(String?)
  case integer(Int64?)
  case boolean(Bool)
  /// JSON already.
  case json(String?)
}
