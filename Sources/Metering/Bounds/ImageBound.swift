/// Bounds the output tokens of one image.
///
/// The published numbers grow with the pixels (high quality, 1536×1024: 6,208). Unpublished numbers
/// get a generous bound, and settlement detects an overrun.
enum ImageBound {
  private static let pixelsPerMegapixel: Int64 = 1 << 20
  /// The sizes that `auto` can choose: the first models' and the later models' largest.
  private static let largestFirstSize: Int64 = 1536 * 1024
  private static let largestLaterSize: Int64 = 2048 * 2048
  /// Larger sizes, which no model makes, are bounded like this one.
  private static let mostPixels: Int64 = 1 << 30
  private static let tokensPerPartialImage: Int64 = 100

  static func tokens(of facts: RequestFacts) -> Int64 {
    tokens(facts.model, size: facts.imageSize, quality: facts.imageQuality)
      + facts.partialImages * tokensPerPartialImage
  }

  /// - Parameters:
  ///   - size: The size as the request names it. If it is nil or `auto`, the model chooses. Any
  ///     other size without two sides is bounded by the largest that counts.
  ///   - quality: The quality, in the same way.
  static func tokens(_ model: String, size: String?, quality: String?) -> Int64 {
    let pixels = pixels(size, of: model)
    return tokensPerMegapixel(quality, of: model) * pixels / pixelsPerMegapixel + 1
  }

  private static func tokensPerMegapixel(_ quality: String?, of model: String) -> Int64 {
    switch quality {
    case "low": 400
    case "medium": 1_600
    case "high", "standard": 6_300
    // The model chooses among its qualities. Later models have `xhigh` and `max` above `high`.
    case nil, "auto": isLimitedToHigh(model) ? 6_300 : 25_200
    default: 25_200
    }
  }

  private static func isLimitedToHigh(_ model: String) -> Bool {
    isFirst(model) || model == "gpt-image-2" || model.hasPrefix("gpt-image-2-")
      || model.hasPrefix("gpt-image-2.5")
  }

  private static func automaticSize(_ model: String) -> Int64 {
    isFirst(model) ? largestFirstSize : largestLaterSize
  }

  private static func isFirst(_ model: String) -> Bool {
    model.hasPrefix("gpt-image-1") || model.hasPrefix("chatgpt-image")
  }

  /// The pixels of a size, for example `1024x1536`, and at most `mostPixels`.
  private static func pixels(_ size: String?, of model: String) -> Int64 {
    guard let size, size != "auto" else { return automaticSize(model) }
    let sides = size.split(separator: "x", omittingEmptySubsequences: false).map { Int64($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0
    else { return mostPixels }
    let (pixels, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? mostPixels : min(pixels, mostPixels)
  }
}
