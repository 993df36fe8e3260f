/// Puts objects that were read by their ids into the order of the provider's list.
///
/// Providers order a list by the second in which an object was made. Within a second the order in
/// which Catraca has recorded the objects decides.
struct ListWalk {
  let order: ListQuery.Order
  /// In no order.
  private(set) var elements: [ListElement]
  /// Elements of the provider's own pages come before elements that are read by their ids.
  private let shown: Int
  /// The places of objects in the order in which they were recorded.
  private var places: [String: Int] = [:]
  private var start: ListElement?

  /// - Parameter shown: the objects that the provider's pages have shown, in their order.
  init(_ order: ListQuery.Order, shown: [ListElement]) {
    self.order = order
    elements = shown
    self.shown = shown.count
  }

  /// Leaves out everything that isn't behind an object.
  mutating func begin(behind element: ListElement) {
    start = element
  }

  /// Takes ids in the order in which they were recorded, newest first where `order` is.
  mutating func note(_ ids: [String]) {
    for (place, id) in ids.enumerated() { places[id] = place }
  }

  /// Takes an object that was read by its id.
  mutating func add(_ element: ListElement) {
    if let start, !isBehind(element, start) { return }
    elements.append(element)
  }

  private func isBehind(_ element: ListElement, _ other: ListElement) -> Bool {
    guard let time = element.createdAt, let otherTime = other.createdAt, time != otherTime else {
      return (places[element.id] ?? 0) > (places[other.id] ?? -1)
    }
    return order == .ascending ? time > otherTime : time < otherTime
  }

  /// All objects in the order of the list.
  func sorted() -> [ListElement] {
    // Without its time an object stays where it is, and so do all.
    guard elements.allSatisfy({ $0.createdAt != nil }) else { return elements }
    return elements.enumerated().sorted { left, right in
      let (first, second) = (left.element.createdAt ?? 0, right.element.createdAt ?? 0)
      if first != second { return order == .ascending ? first < second : first > second }
      if left.offset >= shown, right.offset >= shown {
        return (places[left.element.id] ?? 0) < (places[right.element.id] ?? 0)
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}
