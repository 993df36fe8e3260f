import JSON
import Objects
import Pricing

/// Reads a chat completion, or a stream of its chunks.
struct ChatAnswer: AnswerReader {
  var members = AnswerMembers()
  /// `x_groq.usage`, used if there is no larger `usage`.
  private var groqUsage: ReportedUsage?
  private var breakdown: [ModelUsage] = []
  private var executedTools = ExecutedTools()

  private var shown = ShownObjects()
  /// The places of objects that the provider keeps from the answer; usually none.
  private let objectPlaces: [(place: String, kind: ObjectKind)]

  /// Whether the web may have been searched without being counted. The charge is then one search.
  private let searchesUncounted: Bool

  private(set) var repeatableText: Int?

  init(for facts: RequestFacts) {
    searchesUncounted = facts.searchesUncounted
    objectPlaces =
      (facts.keepsObjects ? ObjectEndpoints.madeWithCompletion : [])
      // The client can name the answer's sound for an hour, even if the answer isn't kept.
      + (facts.asksForAudio ? ObjectEndpoints.soundInCompletion : [])
  }

  mutating func read(answer root: JSONValue) {
    _ = read(event: root)
  }

  mutating func read(event root: JSONValue) -> AnswerEvent {
    var hasChoices = true
    var usage = JSONValue.Kind?.none
    if !objectPlaces.isEmpty { shown.note(root, at: objectPlaces) }
    let (textBefore, toolsBefore) = (members.textBytes, executedTools.readCount)
    for member in root.members {
      let value = member.value
      if member.hasKey("choices") {
        hasChoices = !(value.kind == .array && value.isEmptyContainer)
        for choice in value.elements { read(choice: choice) }
      } else if members.read(member) {
        if member.hasKey("usage") { usage = value.kind }
      } else if member.hasKey("usage_breakdown") {
        read(breakdown: value)
      } else if member.hasKey("x_groq") {
        read(groq: value)
      }
    }
    // All other members replace their values of the event before. Only a tool may count again.
    repeatableText =
      executedTools.readCount == toolsBefore ? Int(members.textBytes - textBefore) : nil
    return AnswerEvent(usage: usage, hasChoices: hasChoices)
  }

  mutating func repeatLastEvent(textBytes: Int) {
    members.add(textBytes: textBytes)
  }

  mutating func takeMadeObjects() -> [MadeObject] { shown.take() }

  var isError: Bool { members.isError }

  var report: UsageReport {
    var report = members.report(or: groqUsage)
    report.madeObjects = shown.objects
    report.breakdown = breakdown
    if !breakdown.isEmpty {
      report.usage = Usage.sum(of: breakdown.map(\.usage)) ?? report.usage
    }
    report.extraCalls = executedTools.calls
    if searchesUncounted && report.extraCalls.isEmpty && !report.isError && !report.isUnreadable {
      report.extraCalls.add(OpenAI.webSearch, surcharge: OpenAI.webSearch)
    }
    return report
  }

  private mutating func read(breakdown value: JSONValue) {
    let breakdown = Groq.breakdown(value)
    guard !breakdown.isEmpty, tokens(in: breakdown) >= tokens(in: self.breakdown) else { return }
    self.breakdown = breakdown
  }

  private func tokens(in breakdown: [ModelUsage]) -> Int64 {
    Usage.sum(of: breakdown.map(\.usage))?.totalTokens ?? .max
  }

  private mutating func read(groq: JSONValue) {
    for member in groq.members {
      if member.hasKey("usage") {
        switch ReportedUsage.read(member.value) {
        case .absent: break
        case .unreadable: members.noteUnreadable()
        case .read(let usage): groqUsage = members.charged(groqUsage, usage)
        }
      } else if member.hasKey("error") {
        members.noteError(member.value)
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
          members.add(textBytes: bytes)
        }
      }
    }
  }

  /// Returns the bytes of text in one member of a message or delta; nil if the member isn't text of
  /// the answer.
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

/// Counts tools that ran on the server. Later chunks of a stream may repeat a tool, so a tool is
/// identified by its position in the list.
private struct ExecutedTools {
  private(set) var calls: [ExtraCall] = []
  /// The number of tool lists that were read.
  private(set) var readCount = 0
  private var seen: Set<Place> = []

  private struct Place: Hashable {
    let choice: Int64
    let index: Int64
  }

  /// Beyond this number of tools in one answer, repetitions are counted too.
  private static let rememberedPlaces = 1024

  mutating func read(_ tools: JSONValue, choice: Int64) {
    readCount += 1
    for tool in tools.elements {
      if let index = tool["index"]?.integer, seen.count < Self.rememberedPlaces {
        guard seen.insert(Place(choice: choice, index: index)).inserted else { continue }
      }
      let name = Groq.toolName(tool)
      calls.add(name, surcharge: Groq.surcharge(ofTool: name))
    }
  }
}
