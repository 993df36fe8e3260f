import Testing

@testable import Ledger

@Suite struct SumsByKeyTests {
  @Test("Each key has its own sums, however many there are", arguments: [1, 8, 9, 30])
  func sums(keyCount: Int) {
    var sums = SumsByKey<String, Int>()
    for _ in 1...2 {
      var expected: [String: Int] = [:]
      for number in 0..<100 {
        let key = "key \(number * 7 % keyCount)"
        sums.change(key, from: 1_000) { $0 += number }
        expected[key, default: 1_000] += number
      }
      let found = Dictionary(uniqueKeysWithValues: sums.entries.map { ($0.key, $0.sums) })
      #expect(found == expected)
      sums.removeAll()
      #expect(sums.entries.isEmpty)
    }
  }
}
