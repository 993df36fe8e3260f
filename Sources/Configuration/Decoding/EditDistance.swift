/// Returns the number of single-character edits between two texts, counted over UTF-8: insert,
/// remove, replace, or swap neighbors.
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.utf8)
  let right = Array(right.utf8)
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for row in left.indices {
    var current = [row + 1]
    for column in right.indices {
      let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
      var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        best = min(best, beforePrevious[column - 1] + 1)
      }
      current.append(best)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[right.count]
}

/// Returns the candidate that `name` probably means: the nearest within a third of its length; nil
/// for none.
public func likelyMeant(by name: String, among candidates: [String]) -> String? {
  let longest = 64
  guard name.utf8.count <= longest else { return nil }
  let nearest = candidates.map { (name: $0, distance: editDistance(name, $0)) }
    .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
  guard let nearest, nearest.distance <= max(1, nearest.name.utf8.count / 3) else { return nil }
  return nearest.name
}
