extension Usage {
  /// The names of the counts, in the order of `counts`.
  static let countNames = [
    "input", "cached_input", "cache_write", "cache_write_12h", "audio_input", "image_input",
    "output", "reasoning", "audio_output", "image_output", "audio_ms", "characters", "images",
    "calls", "cached_audio",
  ]

  /// All counts, in the order of `countNames`.
  var counts: [Int64] {
    [
      inputTokens, cachedInputTokens, cacheWriteTokens, cacheWriteLongTokens, audioInputTokens,
      imageInputTokens, outputTokens, reasoningTokens, audioOutputTokens, imageOutputTokens,
      audioMilliseconds, characters, images, calls, cachedAudioTokens,
    ]
  }

  /// Returns nil if the counts don't form a usage, or if their number differs from the names'.
  init?(counts: [Int64]) {
    guard counts.count == Usage.countNames.count else { return nil }
    self.init(
      inputTokens: counts[0], cachedInputTokens: counts[1], cacheWriteTokens: counts[2],
      cacheWriteLongTokens: counts[3], audioInputTokens: counts[4], imageInputTokens: counts[5],
      outputTokens: counts[6], reasoningTokens: counts[7], audioOutputTokens: counts[8],
      imageOutputTokens: counts[9], audioMilliseconds: counts[10], characters: counts[11],
      images: counts[12], calls: counts[13], cachedAudioTokens: counts[14])
  }

  /// Returns the sum; nil if a count exceeds `largestCount`.
  public static func sum(of usages: some Sequence<Usage>) -> Usage? {
    var total = Usage.zero
    for usage in usages {
      guard let sum = Usage(counts: zip(total.counts, usage.counts).map { $0.0 + $0.1 }) else {
        return nil
      }
      total = sum
    }
    return total
  }
}

extension Int64 {
  /// Returns the sum of two counts, at most the largest `Int64`.
  public func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// Returns the product of two counts, at most the largest `Int64`.
  public func multipliedClamped(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
