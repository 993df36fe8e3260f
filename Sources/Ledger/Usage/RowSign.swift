/// Whether a row's figures are added to sums, or removed because the row is replaced.
enum RowSign {
  case added
  case removed

  func of(_ value: Int64) -> Int64 {
    switch self {
    case .added: value
    case .removed: -value
    }
  }
}
