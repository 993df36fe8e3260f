import Testing

@testable import Gateway

@Suite struct OutputSizesTests {
  @Test("Nothing is known before the first answer")
  func empty() {
    #expect(OutputSizes().percentile99 == nil)
    #expect(OutputSizes().mean == nil)
  }

  @Test(
    "99 of 100 outputs don't exceed the 99th percentile",
    arguments: [(1, 1), (2, 2), (99, 99), (100, 99), (101, 100), (1000, 990)] as [(Int64, Int64)])
  func percentile(count: Int64, expected: Int64) {
    var sizes = OutputSizes()
    for tokens in (1...count).reversed() { sizes.append(tokens) }
    #expect(sizes.percentile99 == expected)
  }

  @Test("The mean is rounded up")
  func mean() {
    var sizes = OutputSizes()
    for tokens: Int64 in [1, 1, 2] { sizes.append(tokens) }
    #expect(sizes.mean == 2)
  }

  @Test("Only the last thousand count")
  func window() {
    var sizes = OutputSizes()
    for _ in 0..<500 { sizes.append(1_000_000) }
    for tokens: Int64 in 1...1000 { sizes.append(tokens) }
    #expect(sizes.percentile99 == 990)
    #expect(sizes.mean == 501)
    sizes.append(7)
    #expect(sizes.percentile99 == 990)
  }
}
