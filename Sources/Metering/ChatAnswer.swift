import JSON
import Pricing

/// Gathers what a chat completion says of its usage, from the whole answer or chunk by chunk.
///
/// Whatever comes again replaces what came before: providers repeat usage within a stream.
struct ChatAnswer {
  private var gathered = UsageReport()
  /// `x_groq.usage`, which counts where there is no `usage`.
  private var groqUsage: ReportedUsage?
  private var usage: ReportedUsage?
  private var executedTools = ExecutedTools()

  /// What one chunk of a stream is, as far as passing it on goes.
  struct ChunkShape {
    var hasChoices = false
    var usage = UsageMember.missing

    enum UsageMember { case missing, null, object, other }

    /// Whether it is the chunk that exists only because usage was asked for.
    var isUsageOnly: Bool { usage == .object && !hasChoices }
  }

  /// Reads a whole answer or a chunk.
  @discardableResult
  mutating func read(_ root: JSONValue) -> ChunkShape {
    var shape = ChunkShape(hasChoices: true)
    for member in root.members {
      let value = member.value
      if member.hasKey("choices") {
        shape.hasChoices = !(value.kind == .array && value.isEmptyContainer)
        for choice in value.elements { read(choice: choice) }
      } else if member.hasKey("model") {
        read(model: value)
      } else if member.hasKey("usage") {
        shape.usage = value.isNull ? .null : value.kind == .object ? .object : .other
        usage = ReportedUsage(value) ?? usage
      } else if member.hasKey("service_tier") {
        gathered.serviceTier = value.string ?? gathered.serviceTier
      } else if member.hasKey("error") {
        gathered.isError = gathered.isError || ChatAnswer.isError(value)
      } else if member.hasKey("usage_breakdown") {
        read(breakdown: value)
      } else if member.hasKey("x_groq") {
        read(groq: value)
      }
    }
    return shape
  }

  mutating func noteUnreadable() {
    gathered.isUnreadable = true
  }

  /// All that was gathered so far.
  var report: UsageReport {
    var report = gathered
    let reported = usage ?? groqUsage
    report.usage = reported?.usage
    report.isUsageAdjusted = reported?.isAdjusted ?? false
    if !report.breakdown.isEmpty {
      report.usage = Usage.sum(of: report.breakdown.map(\.usage)) ?? report.usage
    }
    report.extraCalls = executedTools.calls
    return report
  }

  /// An error is an object or a text; `null`, `false` and an empty text are none.
  private static func isError(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .null: false
    case .boolean: value.boolean == true
    case .string: value.utf8Count != 0
    default: true
    }
  }

  private mutating func read(model value: JSONValue) {
    guard let length = value.utf8Count, length > 0, length <= RequestFacts.longestName else {
      return
    }
    if let known = gathered.responseModel, value.isString(known) { return }
    gathered.responseModel = value.string
  }

  private mutating func read(breakdown value: JSONValue) {
    let breakdown = Groq.breakdown(value)
    if !breakdown.isEmpty { gathered.breakdown = breakdown }
  }

  private mutating func read(groq: JSONValue) {
    for member in groq.members {
      if member.hasKey("usage") {
        groqUsage = ReportedUsage(member.value) ?? groqUsage
      } else if member.hasKey("error") {
        gathered.isError = gathered.isError || ChatAnswer.isError(member.value)
      } else if member.hasKey("usage_breakdown") {
        read(breakdown: member.value)
      }
    }
  }

  private mutating func read(choice: JSONValue) {
    for member in choice.members
    where member.hasKey("delta") || member.hasKey("message") {
      for part in member.value.members {
        if part.hasKey("executed_tools") {
          executedTools.read(part.value, choice: choice["index"]?.integer ?? 0)
        } else if let bytes = ChatAnswer.textBytes(part) {
          gathered.outputTextBytes += Int64(bytes)
        }
      }
    }
  }

  /// The bytes of text in one member of a message or delta; nil if it isn't text of the answer.
  private static func textBytes(_ member: JSONMember) -> Int? {
    if member.hasKey("content") || member.hasKey("reasoning")
      || member.hasKey("reasoning_content") || member.hasKey("refusal")
    {
      return member.value.size.stringBytes
    }
    if member.hasKey("tool_calls") {
      return member.value.elements.reduce(0) { $0 + callBytes($1["function"] ?? $1["custom"]) }
    }
    if member.hasKey("function_call") { return callBytes(member.value) }
    if member.hasKey("audio") { return member.value["transcript"]?.utf8Count }
    return nil
  }

  private static func callBytes(_ call: JSONValue?) -> Int {
    guard let call else { return 0 }
    let arguments = call["arguments"] ?? call["input"]
    return (call["name"]?.utf8Count ?? 0) + (arguments?.utf8Count ?? 0)
  }
}

/// Counts tools that ran on the server. A stream may show the same tool again as it goes on, so a
/// tool is told by its place in the list.
private struct ExecutedTools {
  private(set) var calls: [ExtraCall] = []
  private var seen: Set<Place> = []

  private struct Place: Hashable {
    let choice: Int64
    let index: Int64
  }

  /// More tools than this of one answer are counted without looking for repetitions.
  private static let rememberedPlaces = 1024

  mutating func read(_ tools: JSONValue, choice: Int64) {
    for tool in tools.elements {
      if let index = tool["index"]?.integer, seen.count < Self.rememberedPlaces {
        guard seen.insert(Place(choice: choice, index: index)).inserted else { continue }
      }
      count(Groq.toolName(tool))
    }
  }

  private mutating func count(_ name: String) {
    if let known = calls.firstIndex(where: { $0.name == name }) {
      calls[known].count += 1
    } else {
      calls.append(ExtraCall(name: name, count: 1))
    }
  }
}
