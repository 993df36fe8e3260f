/// Arrays with room that the tasks of one event loop lend each other, since each needs one only
/// between two waits: what waits for minutes, such as a stream at rest, keeps none.
public final class SpareBytes {
  private var arrays: [[UInt8]] = []

  /// As many as one task has in hand at once.
  private static let mostArrays = 4
  /// Those that have grown beyond this are let go.
  private static let largestCapacity = 64 << 10

  init() {
    arrays.reserveCapacity(SpareBytes.mostArrays)
  }

  /// Gives an array without room one that has some, if there is any.
  public func lend(to array: inout [UInt8]) {
    guard array.capacity == 0, let spare = arrays.popLast() else { return }
    array = spare
  }

  /// Takes an array's content and room.
  public func takeBack(_ array: inout [UInt8]) {
    guard array.capacity > 0 else { return }
    if array.capacity <= SpareBytes.largestCapacity, arrays.count < SpareBytes.mostArrays {
      var spare: [UInt8] = []
      swap(&array, &spare)
      spare.removeAll(keepingCapacity: true)
      arrays.append(spare)
    } else {
      array = []
    }
  }
}
