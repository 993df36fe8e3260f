public import Money

/// A quantity of usage that can have its own price.
public enum PricedQuantity: Int, CaseIterable, Hashable, Sendable {
  case input, cachedInput, cacheWrite, cacheWriteLong, audioInput, imageInput
  case output, audioOutput, imageOutput
  case minute, second, character, image, call

  /// The unit of a price. A price can stand in for another of the same unit.
  public enum Unit: Hashable, Sendable {
    case token, millisecond, character, image, call
  }

  /// All cases, computed once.
  static let all = allCases

  /// The quantities under `per_million_tokens`.
  public static let tokens = allCases.filter { $0.unit == .token }

  /// The key of the quantity's price in a pricing file: `cached_input` under `per_million_tokens`,
  /// or a key like `per_minute`.
  public var priceKey: String {
    switch self {
    case .input: "input"
    case .cachedInput: "cached_input"
    case .cacheWrite: "cache_write"
    case .cacheWriteLong: "cache_write_12h"
    case .audioInput: "audio_input"
    case .imageInput: "image_input"
    case .output: "output"
    case .audioOutput: "audio_output"
    case .imageOutput: "image_output"
    case .minute: "per_minute"
    case .second: "per_second"
    case .character: "per_million_characters"
    case .image: "per_image"
    case .call: "per_call"
    }
  }

  /// The quantity's name in explanations and marks: `cached_input_tokens`, `audio_ms`,
  /// `characters`.
  public var name: String {
    switch unit {
    case .token: "\(priceKey)_tokens"
    case .millisecond: "audio_ms"
    case .character: "characters"
    case .image: "images"
    case .call: "calls"
    }
  }

  public var unit: Unit {
    switch self {
    case .input, .cachedInput, .cacheWrite, .cacheWriteLong, .audioInput, .imageInput, .output,
      .audioOutput, .imageOutput:
      .token
    case .minute, .second: .millisecond
    case .character: .character
    case .image: .image
    case .call: .call
    }
  }

  /// The number of units that the price is stated for.
  public var basis: PriceBasis {
    switch self {
    case .minute: .minute
    case .second: .second
    case .image, .call: .one
    default: .million
    }
  }
}
