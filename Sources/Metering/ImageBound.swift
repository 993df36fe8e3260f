/// The most output tokens that one image can take.
///
/// What is published (high quality, 1536×1024: 6,208) grows with the pixels; what isn't, is covered
/// generously, and an overrun is noticed at settlement.
enum ImageBound {
  private static let pixelsPerMegapixel: Int64 = 1 << 20
  /// The sizes from which `auto` chooses: those of the first models, and those of later ones.
  private static let largestFirstSize: Int64 = 1536 * 1024
  private static let largestLaterSize: Int64 = 2048 * 2048
  private static let tokensPerPartialImage: Int64 = 100

  static func tokens(of facts: RequestFacts) -> Int64 {
    let pixels = min(pixels(facts.imageSize ?? "") ?? automaticSize(facts.model), 1 << 30)
    let tokens = tokensPerMegapixel(facts.imageQuality) * pixels / pixelsPerMegapixel + 1
    return tokens + facts.partialImages * tokensPerPartialImage
  }

  private static func tokensPerMegapixel(_ quality: String?) -> Int64 {
    switch quality {
    case "low": 400
    case "medium": 1_600
    // `auto` chooses among those above.
    case nil, "auto", "high", "standard": 6_300
    default: 25_200
    }
  }

  private static func automaticSize(_ model: String) -> Int64 {
    let isFirst = model.hasPrefix("gpt-image-1") || model.hasPrefix("chatgpt-image")
    return isFirst ? largestFirstSize : largestLaterSize
  }

  /// `1024x1536`
  private static func pixels(_ size: String) -> Int64? {
    let sides = size.split(separator: "x").compactMap { Int32($0) }
    guard sides.count == 2, sides[0] > 0, sides[1] > 0 else { return nil }
    return Int64(sides[0]) * Int64(sides[1])
  }
}
