/// Whether sums gain what a row says, or lose what one said that is replaced.
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
