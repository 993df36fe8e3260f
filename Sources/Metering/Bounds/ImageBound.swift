/// Bounds the output tokens of one image.
///
/// The published numbers grow with the pixels (high quality, 1536×1024: 6,208). Unpublished numbers
/// get a generous bound, and settlement detects an overrun.
enum ImageBound {
  private static let pixelsPerMegapixel: Int64 = 1 << 20
  /// The sizes that `auto` can choose: the first models' and the later models' largest.
  private static let largestFirstSize: Int64 = 1536 * 1024
  private static let largestLaterSize: Int64 = 2048 * 2048
  private static let tokensPerPartialImage: Int64 = 100

  static func tokens(of facts: RequestFacts) -> Int64 {
    tokens(facts.model, size: facts.imageSize, quality: facts.imageQuality)
      + facts.partialImages * tokensPerPartialImage
  }

  /// - Parameters:
  ///   - size: The size as the request names it. If it is nil or invalid, the model chooses.
  ///   - quality: The quality, in the same way.
  static func tokens(_ model: String, size: String?, quality: String?) -> Int64 {
    let pixels = min(pixels(size ?? "") ?? automaticSize(model), 1 << 30)
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

  /// Parses a size, for example `1024x1536`.
  private static func pixels(_ size: String) -> Int64? {
    let sides = size.split(separator: "x").compactMap { Int32($0) }
    guard sides.count == 2, sides[0] > 0, sides[1] > 0 else { return nil }
    return Int64(sides[0]) * Int64(sides[1])
  }
}
