import Testing

@testable import EventLoop

@Suite("Arrays that tasks of a loop lend each other")
struct SpareBytesTests {
  @Test("What is taken back is lent again, with its room and without its content")
  func lendsAgain() {
    let spare = SpareBytes()
    var first: [UInt8] = []
    spare.lend(to: &first)
    #expect(first.capacity == 0)
    first.reserveCapacity(1000)
    first.append(7)
    let capacity = first.capacity
    spare.takeBack(&first)
    #expect(first.capacity == 0)
    var second: [UInt8] = []
    spare.lend(to: &second)
    #expect(second.isEmpty && second.capacity == capacity)
    spare.lend(to: &first)
    #expect(first.capacity == 0, "it is lent to one at a time")
  }

  @Test("Whoever has room already keeps it, and its content")
  func leavesAlone() {
    let spare = SpareBytes()
    var other = [UInt8](repeating: 1, count: 100)
    spare.takeBack(&other)
    var array: [UInt8] = [1, 2, 3]
    spare.lend(to: &array)
    #expect(array == [1, 2, 3])
  }

  @Test("Neither very large arrays are kept nor very many")
  func isBounded() {
    let spare = SpareBytes()
    var large = [UInt8](repeating: 0, count: 1 << 20)
    spare.takeBack(&large)
    #expect(large.capacity == 0)
    for _ in 0..<100 {
      var array = [UInt8](repeating: 0, count: 100)
      spare.takeBack(&array)
    }
    let lent = (0..<100).map { _ in
      var array: [UInt8] = []
      spare.lend(to: &array)
      return array.capacity
    }
    #expect(lent.count { $0 > 0 } < 10)
    #expect(lent.allSatisfy { $0 < 1 << 20 })
  }
}
