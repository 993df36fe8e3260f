/// A collection whose elements keep their indices, and which reuses freed places.
///
/// A handle contains the generation of its place. A freed element's handle therefore never reaches
/// a later element in the same place.
struct Slab<Element: Sendable>: Sendable {
  struct Handle: Hashable, Sendable {
    let index: Int
    let generation: UInt32
  }

  /// A freed place keeps its last element until it is used again.
  private var elements: [Element] = []
  /// Odd while the place is in use. Increases with each use and each release.
  private var generations: [UInt32] = []
  private var freeIndices: [Int] = []

  /// The number of elements.
  var count: Int { elements.count - freeIndices.count }

  /// One above the highest index that was ever used.
  var endIndex: Int { elements.count }

  var indices: [Int] { elements.indices.filter(isUsed) }

  func isUsed(_ index: Int) -> Bool {
    !generations[index].isMultiple(of: 2)
  }

  func contains(_ handle: Handle) -> Bool {
    handle.index < generations.count && generations[handle.index] == handle.generation
  }

  func handle(of index: Int) -> Handle {
    Handle(index: index, generation: generations[index])
  }

  subscript(index: Int) -> Element {
    _read {
      assert(isUsed(index), "a freed place was read")
      yield elements[index]
    }
    _modify {
      assert(isUsed(index), "a freed place was written")
      yield &elements[index]
    }
  }

  mutating func reserveCapacity(_ capacity: Int) {
    elements.reserveCapacity(capacity)
    generations.reserveCapacity(capacity)
  }

  mutating func insert(_ element: Element) -> Handle {
    guard let index = freeIndices.popLast() else {
      elements.append(element)
      generations.append(1)
      return Handle(index: elements.count - 1, generation: 1)
    }
    elements[index] = element
    generations[index] &+= 1
    return Handle(index: index, generation: generations[index])
  }

  /// Removes the element and frees its place; nil if the element has already been removed.
  mutating func remove(_ handle: Handle) -> Element? {
    guard contains(handle) else { return nil }
    generations[handle.index] &+= 1
    freeIndices.append(handle.index)
    return elements[handle.index]
  }

  mutating func remove(at index: Int) {
    _ = remove(handle(of: index))
  }
}
