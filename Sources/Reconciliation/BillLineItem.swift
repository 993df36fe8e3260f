/// A line of a provider's bill, by its name: the model and what of its use the line charges, or the
/// tool that the line charges.
///
/// The names are those of OpenAI's costs: `gpt-4o-2024-08-06, cached input`,
/// `priority | gpt-5.6-sol, output, long context`, `gpt-image-2 image, output`,
/// `web search tool calls`.
struct BillLineItem: Hashable {
  /// The model as the provider calls it; nil for a tool, and for anything else.
  var model: String?
  /// The quantity that the line charges; nil if its name doesn't say it.
  var charge: ReconciledQuantity?
  var rate = Rate.usual

  /// The prices that a line's name says it was charged at.
  enum Rate: Hashable {
    case usual
    /// The tiers `flex` and `batch`.
    case cheap
    /// The tier `priority`, and the prices of long contexts.
    case dear
  }

  private enum Modality: Substring {
    case text, audio, image
  }

  init(_ name: String) {
    let sides = name.split(separator: "|").map(BillLineItem.trimmed)
    if let tool = sides.first.flatMap(BillLineItem.tool) {
      charge = tool
      return
    }
    if sides.count == 2 { rate = BillLineItem.rate(ofTier: sides[0]) }
    let fields = (sides.last ?? "").split(separator: ",").map(BillLineItem.trimmed)
    guard let first = fields.first else { return }
    let words = first.split(separator: " ")
    let modality = words.count > 1 ? words.last.flatMap(BillLineItem.modality) : nil
    model = modality == nil ? String(first) : words.dropLast().joined(separator: " ")
    guard fields.count > 1 else { return }
    charge = BillLineItem.charge(fields[1].lowercased()[...], modality)
    if fields.dropFirst(2).contains(where: { $0.lowercased() == "long context" }) { rate = .dear }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " }
    let end = start.lastIndex { $0 != " " }
    return end.map { start[...$0] } ?? start
  }

  private static func modality(_ word: Substring) -> Modality? {
    Modality(rawValue: word.lowercased()[...])
  }

  private static func tool(_ name: Substring) -> ReconciledQuantity? {
    let name = name.lowercased()
    if name.contains("web search") { return .webSearchCost }
    if name.contains("file search"), !name.contains("storage") { return .fileSearchCost }
    if name.contains("code interpreter") || name.contains("container") { return .containerCost }
    return nil
  }

  private static func rate(ofTier name: Substring) -> Rate {
    switch name.lowercased() {
    case "flex", "batch": .cheap
    case "priority", "ultrafast": .dear
    default: .usual
    }
  }

  /// - Parameter modality: The one that stands behind the model; in other lines it stands before
  ///   the direction, as in `audio input`.
  private static func charge(_ name: Substring, _ modality: Modality?) -> ReconciledQuantity? {
    let words = name.split(separator: " ")
    if words.count == 2, let own = words.first.flatMap(BillLineItem.modality) {
      return charge(words[1], own)
    }
    return switch (name, modality) {
    case ("input", .audio): .audioInputCost
    case ("input", .image): .imageInputCost
    case ("input", _): .inputCost
    case ("cached input", _): .cachedInputCost
    case ("cache writes", _), ("cache write", _): .cacheWriteCost
    case ("output", .audio): .audioOutputCost
    case ("output", .image): .imageOutputCost
    case ("output", _): .outputCost
    case ("audio", _), ("characters", _), ("images", _), ("minutes", _), ("seconds", _): .mediaCost
    default: nil
    }
  }
}
