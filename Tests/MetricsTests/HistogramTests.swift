import Metrics
import Testing

@Suite struct HistogramTests {
  @Test("An observation counts in its bucket and in all above, bounds included")
  func buckets() {
    var histogram = Histogram(bounds: [10, 100, 1000])
    for value in [0, 10, 11, 100, 1000, 1001] as [Int64] { histogram.observe(value) }
    #expect(histogram.cumulativeCounts == [2, 4, 5, 6])
    #expect(histogram.count == 6)
    #expect(histogram.sum == 2122)
  }

  @Test("Neither a clock that ran backwards nor an endless wait spoils the sum")
  func extremes() {
    var histogram = Histogram(bounds: [10])
    for value in [-5, .max, .max] as [Int64] { histogram.observe(value) }
    #expect(histogram.cumulativeCounts == [1, 3])
    #expect(histogram.sum == .max)
  }
}
