import JSON
import Pricing

/// A provider's usage object in normal form.
///
/// It is a class so that a waiting stream needs one word for it instead of all its counts.
final class ReportedUsage: Sendable {
  let usage: Usage
  /// Whether the counts contradicted each other and were adjusted.
  let isAdjusted: Bool
  /// The tokens by which the reported total exceeds input plus output. OpenAI's totals needn't be
  /// sums.
  let unlistedTokens: Int64

  /// The separately priced details that are read.
  static let details: Set<PricedQuantity> = [
    .cachedInput, .cacheWrite, .cacheWriteLong, .audioInput, .imageInput, .audioOutput,
    .imageOutput,
  ]

  /// Reads the usage of the image tool, which lists cached tokens beside its details, images
  /// separately.
  convenience init?(ofDrawing object: JSONValue?) {
    self.init(object, cachedBesideDetails: true)
  }

  /// Returns nil unless the object has an integer `prompt_tokens` or `input_tokens`.
  init?(_ object: JSONValue?, cachedBesideDetails: Bool = false) {
    guard let object, let input = Self.total(object["prompt_tokens"] ?? object["input_tokens"])
    else { return nil }
    let inputDetails = Self.details(
      object, "prompt_tokens_details", "input_tokens_details", "input_token_details")
    let outputDetails = Self.details(
      object, "completion_tokens_details", "output_tokens_details", "output_token_details")
    var counts = UsageCounts(input: input)
    counts.output =
      Self.total(object["completion_tokens"] ?? object["output_tokens"])
      // Without an output count, the total is the only evidence of the output.
      ?? max(0, (Self.total(object["total_tokens"]) ?? input) - input)
    counts.readInputDetails(inputDetails)
    if cachedBesideDetails { counts.readCached(object) }
    counts.readOutputDetails(outputDetails)
    counts.normalize()
    guard let usage = counts.usage else { return nil }
    self.usage = usage
    isAdjusted = counts.isAdjusted
    unlistedTokens = max(0, (Self.total(object["total_tokens"]) ?? 0) - usage.totalTokens)
  }

  private static func total(_ value: JSONValue?) -> Int64? {
    guard let count = value?.integer, (0...Usage.largestCount).contains(count) else { return nil }
    return count
  }

  private static func details(_ object: JSONValue, _ names: StaticString...) -> JSONValue? {
    for name in names {
      if let details = object[name], details.kind == .object { return details }
    }
    return nil
  }
}

/// The counts of a usage object while they are made consistent.
private struct UsageCounts {
  var input: Int64
  var cached: Int64 = 0
  var cacheWrite: Int64 = 0
  var cacheWriteLong: Int64 = 0
  var audioInput: Int64 = 0
  var cachedAudio: Int64 = 0
  var imageInput: Int64 = 0
  var output: Int64 = 0
  var reasoning: Int64 = 0
  var audioOutput: Int64 = 0
  var imageOutput: Int64 = 0
  var isAdjusted = false

  init(input: Int64) {
    self.input = input
  }

  mutating func readInputDetails(_ details: JSONValue?) {
    guard let details else { return }
    cached = part(details["cached_tokens"])
    // Cached sound has the price of the cache, not the price of sound.
    let audio = part(details["audio_tokens"])
    cachedAudio = min(part(details["cached_tokens_details"]?["audio_tokens"]), cached, audio)
    audioInput = audio - cachedAudio
    imageInput = part(details["image_tokens"])
    let written = part(details["cache_write_tokens"])
    cacheWriteLong = part(details["cache_write_tokens_details"]?["ttl_12h_tokens"])
    cacheWrite = max(0, written - cacheWriteLong)
  }

  /// Reads `cached_tokens` and `cached_tokens_details`. Cached images have the cache's price
  /// instead of the images'.
  mutating func readCached(_ object: JSONValue) {
    guard cached == 0 else { return }
    cached = part(object["cached_tokens"])
    let images = part(object["cached_tokens_details"]?["cached_image_tokens"])
    imageInput = max(0, imageInput - min(images, cached))
  }

  mutating func readOutputDetails(_ details: JSONValue?) {
    guard let details else { return }
    reasoning = part(details["reasoning_tokens"])
    audioOutput = part(details["audio_tokens"])
    imageOutput = part(details["image_tokens"])
  }

  /// Returns a detail's count; 0 if it is missing, null or not an integer.
  private mutating func part(_ value: JSONValue?) -> Int64 {
    guard let count = value?.integer else { return 0 }
    guard (0...Usage.largestCount).contains(count) else {
      isAdjusted = true
      return 0
    }
    return count
  }

  /// Makes the parts fit into their totals without lowering the charge.
  ///
  /// First, the part that costs no more than the rest shrinks: cached input, which may overlap with
  /// cached sound, or reasoning, which is priced as output. Then the total grows to the sum of the
  /// other parts.
  ///
  /// Example: 100 input tokens with 80 cached and 60 of sound become 40 cached and 60 of sound.
  mutating func normalize() {
    let dearInput = cacheWrite + cacheWriteLong + audioInput + imageInput
    isAdjusted = Self.fit(&cached, dearInput, into: &input) || isAdjusted
    cachedAudio = min(cachedAudio, cached)
    isAdjusted = Self.fit(&reasoning, audioOutput + imageOutput, into: &output) || isAdjusted
  }

  private static func fit(_ cheap: inout Int64, _ dear: Int64, into total: inout Int64) -> Bool {
    guard cheap + dear > total else { return false }
    total = max(total, dear)
    cheap = total - dear
    return true
  }

  var usage: Usage? {
    Usage(
      inputTokens: input, cachedInputTokens: cached, cacheWriteTokens: cacheWrite,
      cacheWriteLongTokens: cacheWriteLong, audioInputTokens: audioInput,
      imageInputTokens: imageInput, outputTokens: output, reasoningTokens: reasoning,
      audioOutputTokens: audioOutput, imageOutputTokens: imageOutput,
      cachedAudioTokens: cachedAudio)
  }
}
