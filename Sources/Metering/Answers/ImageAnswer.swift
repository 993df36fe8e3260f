import JSON
import Pricing

/// Reads images, or a stream of them. In a stream, an event with usage completes each image.
struct ImageAnswer: AnswerReader {
  static let reportableDetails: Set<PricedQuantity> = [.cachedInput, .imageInput, .imageOutput]

  var members = AnswerMembers()
  private var usages: [Usage] = []
  private var isAdjusted = false
  private var hasUnreadableUsage = false
  private var vectors: ModelUsage?
  private var images: Int64 = 0
  private let askedImages: Int64
  private let askedModel: String

  init(for facts: RequestFacts) {
    askedImages = facts.images
    askedModel = facts.model
  }

  mutating func read(answer root: JSONValue) {
    for member in root.members {
      if member.hasKey("usage") {
        add(usage: member.value)
      } else if member.hasKey("data") {
        images = Int64(member.value.elements.reduce(0) { count, _ in count + 1 })
      } else if member.hasKey("svg_usage") {
        add(vectors: member.value)
      } else {
        _ = members.read(member)
      }
    }
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    if let error = root["error"] { members.noteError(error) }
    guard root["type"]?.string?.hasSuffix(".completed") == true else { return .ordinary }
    images += 1
    if let usage = root["usage"] { add(usage: usage) }
    if let usage = root["svg_usage"] { add(vectors: usage) }
    return images >= askedImages ? .last : .ordinary
  }

  var report: UsageReport {
    var report = members.report()
    report.isUsageAdjusted = isAdjusted
    if hasUnreadableUsage {
      report.isUnreadable = true
      return report
    }
    guard let sum = Usage.sum(of: usages), !usages.isEmpty else { return report }
    report.usage = sum.with(images: images)
    if let vectors {
      report.breakdown = [ModelUsage(model: askedModel, usage: report.usage ?? sum), vectors]
      report.usage = Usage.sum(of: [sum, vectors.usage])?.with(images: images) ?? report.usage
    }
    return report
  }

  /// If the usage has no details, all output is images.
  private mutating func add(usage value: JSONValue) {
    let reading = ReportedUsage.read(ofDrawing: value)
    if reading.isUnreadable { hasUnreadableUsage = true }
    guard let reported = reading.usage else { return }
    isAdjusted = isAdjusted || reported.isAdjusted
    var usage = reported.usage
    if value["output_tokens_details"]?.kind != .object {
      usage =
        Usage(
          inputTokens: usage.inputTokens, cachedInputTokens: usage.cachedInputTokens,
          imageInputTokens: usage.imageInputTokens, outputTokens: usage.outputTokens,
          imageOutputTokens: usage.outputTokens) ?? usage
    }
    usages.append(usage)
  }

  /// A text model writes vector drawings. Its tokens are billed separately.
  private mutating func add(vectors value: JSONValue) {
    let reading = ReportedUsage.read(value)
    if reading.isUnreadable { hasUnreadableUsage = true }
    guard let model = value["model"]?.string, let reported = reading.usage else { return }
    let sum = Usage.sum(of: [vectors?.usage ?? .zero, reported.usage])
    vectors = ModelUsage(model: model, usage: sum ?? reported.usage)
  }
}

extension Usage {
  /// Returns the usage with this number of images.
  fileprivate func with(images: Int64) -> Usage {
    Usage(
      inputTokens: inputTokens, cachedInputTokens: cachedInputTokens,
      imageInputTokens: imageInputTokens, outputTokens: outputTokens,
      reasoningTokens: reasoningTokens, imageOutputTokens: imageOutputTokens, images: images)
      ?? self
  }
}
