internal import Money
internal import Pricing

/// The meaning of a price's name in LiteLLM's table, such as
/// `cache_read_input_token_cost_above_272k_tokens_flex`.
struct LiteLLMField {
  let quantity: PricedQuantity
  /// The length of input above which it holds.
  let aboveInputTokens: Int64?
  /// The service tier for which it holds, under our name.
  let tier: String?

  /// Nil if the name is no price, or a price that has no place in a pricing file.
  init?(_ name: String) {
    var rest = name[...]
    tier = LiteLLMField.tiers.first { rest.hasSuffix("_\($0.suffix)") }.map {
      rest = rest.dropLast($0.suffix.count + 1)
      return $0.tier
    }
    aboveInputTokens = LiteLLMField.takeStep(from: &rest)
    guard let quantity = LiteLLMField.quantities[String(rest)] else { return nil }
    self.quantity = quantity
  }

  /// By how many places a price moves from LiteLLM's unit to ours.
  var shift: Int { quantity.basis == .million ? 6 : 0 }

  /// Whether a name speaks of money at all.
  static func isPrice(_ name: String) -> Bool {
    name.contains("cost") || name.contains("multiplier")
  }

  /// Whether a name says that processing in a region costs more, as
  /// `regional_processing_uplift_multiplier_eu` does. By how much is `price_factor` of a provider.
  static func isRegionalFactor(_ name: String) -> Bool {
    name.hasPrefix("regional_processing_uplift_multiplier")
  }

  private static let tiers = [
    (suffix: "batches", tier: "batch"), (suffix: "flex", tier: "flex"),
    (suffix: "priority", tier: "priority"), (suffix: "ultrafast", tier: "ultrafast"),
  ]

  /// Cached images and sound have no price of their own: the highest of all that is cached counts.
  private static let quantities: [String: PricedQuantity] = [
    "input_cost_per_token": .input,
    "cache_read_input_token_cost": .cachedInput,
    "cache_read_input_audio_token_cost": .cachedInput,
    "cache_read_input_image_token_cost": .cachedInput,
    "cache_creation_input_token_cost": .cacheWrite,
    "cache_creation_input_token_cost_above_12hr": .cacheWriteLong,
    "input_cost_per_audio_token": .audioInput,
    "input_cost_per_image_token": .imageInput,
    "output_cost_per_token": .output,
    "output_cost_per_audio_token": .audioOutput,
    "output_cost_per_image_token": .imageOutput,
    "input_cost_per_second": .second,
    "input_cost_per_character": .character,
    "input_cost_per_image": .image,
    "output_cost_per_image": .image,
  ]

  /// Takes `_above_272k_tokens` off.
  private static func takeStep(from name: inout Substring) -> Int64? {
    let (opening, closing) = ("_above_", "k_tokens")
    guard name.hasSuffix(closing) else { return nil }
    let digits = name.dropLast(closing.count).suffix(while: { $0.isASCII && $0.isNumber })
    let head = name.dropLast(closing.count + digits.count)
    guard head.hasSuffix(opening), let thousands = Int64(digits) else { return nil }
    let (step, overflows) = thousands.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return nil }
    name = head.dropLast(opening.count)
    return step
  }
}

extension Substring {
  /// The longest end whose characters all satisfy `predicate`.
  fileprivate func suffix(while predicate: (Character) -> Bool) -> Substring {
    self[(lastIndex { !predicate($0) }.map { index(after: $0) } ?? startIndex)...]
  }
}
