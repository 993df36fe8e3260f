public import Money

/// What can have a price of its own.
public enum PricedQuantity: Int, CaseIterable, Hashable, Sendable {
  case input, cachedInput, cacheWrite, cacheWriteLong, audioInput, imageInput
  case output, audioOutput, imageOutput
  case minute, second, character, image, call

  /// What prices of different quantities have in common, so that one can stand in for another.
  public enum Unit: Hashable, Sendable {
    case token, millisecond, character, image, call
  }

  /// Every case, made once.
  static let all = allCases

  /// Those that stand under `per_million_tokens`.
  public static let tokens = allCases.filter { $0.unit == .token }

  /// The key of its price in a pricing file: `cached_input` under `per_million_tokens`, or
  /// `per_minute` and its like.
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

  /// Its name in explanations and marks: `cached_input_tokens`, `audio_ms`, `characters`.
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

  /// What its price is quoted for.
  public var basis: PriceBasis {
    switch self {
    case .minute: .minute
    case .second: .second
    case .image, .call: .one
    default: .million
    }
  }
}
