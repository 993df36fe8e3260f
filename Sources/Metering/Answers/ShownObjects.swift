import JSON
import Objects

/// Gathers the objects that an answer shows, whole or event by event.
struct ShownObjects {
  /// The objects without duplicates, in the order in which they were shown.
  private(set) var objects: [MadeObject] = []
  private var seen: Set<MadeObject> = []
  /// The number of objects that `take` has returned.
  private var takenCount = 0

  /// Notes the objects at these places of an answer, an event or a part of one.
  mutating func note(_ value: JSONValue, at places: [(place: String, kind: ObjectKind)]) {
    for object in MadeObjects.inAnswer(value, at: places) where seen.insert(object).inserted {
      objects.append(object)
    }
  }

  /// Returns the objects that were noted since the last call.
  mutating func take() -> [MadeObject] {
    guard takenCount < objects.count else { return [] }
    defer { takenCount = objects.count }
    return Array(objects[takenCount...])
  }
}
