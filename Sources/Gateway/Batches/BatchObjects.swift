internal import Objects

/// The objects that the lines of a batch name, gathered so that few questions to the ledger find
/// out whose they are.
struct BatchObjects {
  /// The number of objects to wait for before a lookup. The lines that have just arrived may name
  /// more.
  static let mostAtOnce = 200

  /// By object, the first line that names it.
  private var lines: [ObjectReference: Int64] = [:]
  /// Those that weren't looked up yet, in the order of the lines.
  private var open: [ObjectReference] = []

  var count: Int { open.count }

  /// - Parameter line: the number of the line that names them, from 1 on.
  mutating func add(_ references: [ObjectReference], ofLine line: Int64) {
    for reference in references where lines[reference] == nil {
      lines[reference] = line
      open.append(reference)
    }
  }

  /// The objects that weren't looked up yet, which are then taken as looked up.
  mutating func takeReferences() -> [ObjectReference] {
    defer { open = [] }
    return open
  }

  /// The first line that names an object; nil where none does.
  func line(of reference: ObjectReference) -> Int64? { lines[reference] }
}
