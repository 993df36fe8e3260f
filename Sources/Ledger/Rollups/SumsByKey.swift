/// The sums of a transaction, by key.
///
/// The requests of a commit usually share one key or a few. A few keys are found by comparison,
/// which takes a few instructions for equal texts. Hashing a key costs more than adding to its
/// sums.
struct SumsByKey<Key: Hashable, Sums> {
  private(set) var entries: [(key: Key, sums: Sums)] = []
  /// The index of each key; used once there are more than `largestCompared` keys.
  private var places: [Key: Int] = [:]

  private static var largestCompared: Int { 8 }

  /// Changes the sums of a key; a new key starts with `zero`.
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

extension Int64 {
  /// Returns the sum, or the nearest representable number, so that no reported figure stops the
  /// ledger.
  public func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }

  /// Returns the difference, or the nearest representable number.
  public func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    guard overflows else { return difference }
    return other < 0 ? .max : .min
  }
}
