/// What a transaction adds up, by key.
///
/// Requests that meet in a commit mostly have a key in common, or a few. A few keys are told apart
/// by comparing them, which for the same texts is a few instructions; to hash one costs more than
/// to add to its sums.
struct SumsByKey<Key: Hashable, Sums> {
  private(set) var entries: [(key: Key, sums: Sums)] = []
  /// Where each key stands, once there are more than a few.
  private var places: [Key: Int] = [:]

  private static var largestCompared: Int { 8 }

  /// Changes the sums of a key, which are `zero` at first.
  mutating func change(
    _ key: Key, from zero: @autoclosure () -> Sums, _ body: (inout Sums) -> Void
  ) {
    let place = place(of: key) ?? append(key, zero())
    body(&entries[place].sums)
  }

  private func place(of key: Key) -> Int? {
    if places.isEmpty { return entries.firstIndex { $0.key == key } }
    return places[key]
  }

  private mutating func append(_ key: Key, _ sums: Sums) -> Int {
    let place = entries.count
    entries.append((key, sums))
    if !places.isEmpty {
      places[key] = place
    } else if entries.count > Self.largestCompared {
      for (place, entry) in entries.enumerated() { places[entry.key] = place }
    }
    return place
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    if !places.isEmpty { places.removeAll() }
  }
}
