import JSON
import Pricing

/// The counts of a usage object while they are made consistent.
struct ReportedCounts {
  private var input: Int64
  private var cached: Int64 = 0
  private var cacheWrite: Int64 = 0
  private var cacheWriteLong: Int64 = 0
  /// Sound and images of the input at their own prices, so without their known cached parts.
  private var audioInput: Int64 = 0
  private var imageInput: Int64 = 0
  private var cachedAudio: Int64 = 0
  private var cachedImages: Int64 = 0
  private var output: Int64
  private var reasoning: Int64 = 0
  private var audioOutput: Int64 = 0
  private var imageOutput: Int64 = 0
  /// Whether the counts contradicted each other and were adjusted.
  private(set) var isAdjusted = false

  init(input: Int64, output: Int64) {
    self.input = input
    self.output = output
  }

  mutating func readInputDetails(_ details: JSONValue?) {
    guard let details else { return }
    cached = part(details["cached_tokens"])
    audioInput = part(details["audio_tokens"])
    imageInput = part(details["image_tokens"])
    readKinds(ofCached: details["cached_tokens_details"])
    let written = part(details["cache_write_tokens"])
    cacheWriteLong = part(details["cache_write_tokens_details"]?["ttl_12h_tokens"])
    cacheWrite = max(0, written - cacheWriteLong)
  }

  /// Reads `cached_tokens` and `cached_tokens_details` of the usage object itself.
  mutating func readCached(_ object: JSONValue) {
    guard cached == 0 else { return }
    cached = part(object["cached_tokens"])
    readKinds(ofCached: object["cached_tokens_details"])
  }

  /// Reads the kinds of the cached tokens. Cached sound and cached images have the price of the
  /// cache instead of their own.
  private mutating func readKinds(ofCached details: JSONValue?) {
    guard let details else { return }
    cachedAudio = min(part(details["audio_tokens"]), cached, audioInput)
    audioInput -= cachedAudio
    let images = part(details["image_tokens"] ?? details["cached_image_tokens"])
    cachedImages = min(images, cached - cachedAudio, imageInput)
    imageInput -= cachedImages
  }

  mutating func readOutputDetails(_ details: JSONValue?) {
    guard let details else { return }
    reasoning = part(details["reasoning_tokens"])
    audioOutput = part(details["audio_tokens"])
    imageOutput = part(details["image_tokens"])
  }

  /// Returns a detail's count; 0 if it is missing, null or not a count.
  private mutating func part(_ value: JSONValue?) -> Int64 {
    guard let value, !value.isNull else { return 0 }
    guard let count = value.tokenCount else {
      isAdjusted = true
      return 0
    }
    return count
  }

  /// Makes the parts disjoint, and fits them into their totals without lowering the charge.
  ///
  /// First, sound and images that the cache must hold leave the count of their kind. If the counts
  /// still contradict each other, the part that costs no more than the rest shrinks: cached input,
  /// or reasoning, which is priced as output. Then the total grows to the sum of the other parts.
  ///
  /// Example: 100 input tokens with 80 cached and 120 of sound become 120 of sound.
  mutating func normalize() {
    separateCachedKinds()
    let dearInput = cacheWrite + cacheWriteLong + audioInput + imageInput
    isAdjusted = Self.fit(&cached, dearInput, into: &input) || isAdjusted
    cachedAudio = min(cachedAudio, cached)
    isAdjusted = Self.fit(&reasoning, audioOutput + imageOutput, into: &output) || isAdjusted
  }

  /// Counts sound and images once that are also counted as cached or as written to the cache.
  ///
  /// An answer may tell one total of cached tokens, without their kinds. The least number of images
  /// and sound is then taken for cached, and images before sound: text costs no more than images,
  /// and images no more than sound. So no consistent division of the counts costs more.
  ///
  /// Example: of 1,000 input tokens, 900 are images and 800 are cached. At least 700 images are
  /// cached, so 200 have the price of images, and 800 the price of the cache.
  private mutating func separateCachedKinds() {
    let stored = cached + cacheWrite + cacheWriteLong
    let kinds = audioInput + imageInput
    guard stored <= input, kinds + cachedAudio + cachedImages <= input else { return }
    let overlap = max(0, stored + kinds - input)
    let images = min(overlap, imageInput)
    imageInput -= images
    audioInput -= overlap - images
    cachedAudio = min(cachedAudio + overlap - images, cached)
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
