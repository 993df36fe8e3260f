/// Arrays with capacity that the tasks of one event loop share. A task needs an array only between
/// two waits, so a long wait, for example of an idle stream, keeps none.
public final class SpareBytes {
  private var arrays: [[UInt8]] = []

  /// The most spare arrays: as many as one task uses at once.
  private static let mostArrays = 4
  /// The capacity above which an array is released instead of kept.
  private static let largestCapacity = 64 << 10

  init() {
    arrays.reserveCapacity(SpareBytes.mostArrays)
  }

  /// Replaces an array without capacity by a spare one, if there is any.
  public func lend(to array: inout [UInt8]) {
    guard array.capacity == 0, let spare = arrays.popLast() else { return }
    array = spare
  }

  /// Takes back an array, and discards its content.
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
