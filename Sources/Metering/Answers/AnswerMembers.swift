import JSON
import Pricing

/// Reads the members that most endpoints' answers share: the model, the tier, the usage, an error.
///
/// Providers repeat these members within a stream. The first model counts, and the largest usage,
/// so that no later event makes the answer cheaper.
struct AnswerMembers {
  private(set) var usage: ReportedUsage?
  private(set) var textBytes: Int64 = 0
  private var model: String?
  private var serviceTier: String?
  private(set) var isError = false
  private var isUnreadable = false
  private var isAmbiguous = false
  /// Whether the last usage object can't be read.
  private var hasUnreadableUsage = false
  /// Whether usage must tell the output. Some formats report only input.
  private let hasOutput: Bool

  /// - Parameter hasOutput: Whether answers of the format have output, which usage must tell.
  init(hasOutput: Bool = true) {
    self.hasOutput = hasOutput
  }

  /// Reads a member; returns false if it is none of these.
  mutating func read(_ member: JSONMember) -> Bool {
    let value = member.value
    if member.hasKey("model") {
      read(model: value)
    } else if member.hasKey("usage") {
      read(usage: value)
    } else if member.hasKey("service_tier") {
      serviceTier = value.string ?? serviceTier
    } else if member.hasKey("error") {
      noteError(value)
    } else {
      return false
    }
    return true
  }

  /// Notes an error: an object or a text. `null`, `false` and an empty text aren't errors.
  mutating func noteError(_ value: JSONValue) {
    switch value.kind {
    case .null: break
    case .boolean: if value.boolean == true { noteError() }
    case .string: if value.utf8Count != 0 { noteError() }
    default: noteError()
    }
  }

  mutating func noteError() {
    isError = true
  }

  mutating func noteUnreadable() {
    isUnreadable = true
  }

  /// Notes that the answer can be read in more than one way, for example because it has a member
  /// twice.
  mutating func noteAmbiguous() {
    isAmbiguous = true
  }

  mutating func add(textBytes: Int) {
    self.textBytes += Int64(textBytes)
  }

  /// Notes the text of a whole answer. Pieces of it may already have been counted.
  mutating func note(textBytesAtLeast textBytes: Int) {
    self.textBytes = max(self.textBytes, Int64(textBytes))
  }

  /// Returns the report of all members; `other` is the usage if no member had a larger one.
  func report(or other: ReportedUsage? = nil) -> UsageReport {
    var report = UsageReport()
    report.responseModel = model
    report.serviceTier = serviceTier
    report.isError = isError
    report.isUnreadable = isUnreadable
    report.isAmbiguous = isAmbiguous
    report.outputTextBytes = textBytes
    let reported = reportedUsage(or: other)
    if hasUnreadableUsage && reported == nil { report.isUnreadable = true }
    report.usage = reported?.usage
    report.isUsageAdjusted = reported?.isAdjusted ?? false
    report.unlistedTokens = reported?.unlistedTokens ?? 0
    return report
  }

  private mutating func read(usage value: JSONValue) {
    switch ReportedUsage.read(value, hasOutput: hasOutput) {
    case .absent: return
    case .unreadable: noteUnreadableUsage()
    case .read(let read):
      hasUnreadableUsage = false
      usage = charged(usage, read)
    }
  }

  /// Notes a usage object that can't be read. Unless a later one can, the answer is charged its
  /// hold.
  mutating func noteUnreadableUsage() {
    hasUnreadableUsage = true
  }

  private func reportedUsage(or other: ReportedUsage?) -> ReportedUsage? {
    if hasUnreadableUsage { return isAmbiguous ? usage : nil }
    guard let usage else { return other }
    guard let other, usage.replaces(other) == false else { return usage }
    return other
  }

  /// Returns the usage that is charged, of one that came before and a later one.
  mutating func charged(_ earlier: ReportedUsage?, _ later: ReportedUsage) -> ReportedUsage {
    guard let earlier else { return later }
    if let replaces = later.replaces(earlier) { return replaces ? later : earlier }
    noteAmbiguous()
    return earlier.usage.totalTokens > later.usage.totalTokens ? earlier : later
  }

  private mutating func read(model value: JSONValue) {
    guard model == nil, let length = value.utf8Count, length > 0,
      length <= RequestFacts.longestName
    else { return }
    model = value.string
  }
}

extension ReportedUsage {
  /// Whether this usage is charged in place of an earlier one of the same answer.
  ///
  /// Providers repeat usage within a stream as it grows, so the later usage counts unless it is
  /// smaller. Example: of 900 output tokens and later 1, the 900 are charged.
  ///
  /// - Returns: Nil if each usage is larger in one of input and output, so that the answer can be
  ///   read in two ways.
  fileprivate func replaces(_ earlier: ReportedUsage) -> Bool? {
    let (input, earlierInput) = (usage.inputTokens, earlier.usage.inputTokens)
    let (output, earlierOutput) = (allOutput, earlier.allOutput)
    if input >= earlierInput && output >= earlierOutput { return true }
    return input <= earlierInput && output <= earlierOutput ? false : nil
  }

  private var allOutput: Int64 { usage.outputTokens + unlistedTokens }
}

/// An answer with a status of 400 or above. It is charged only if it reports usage.
struct ErrorAnswer: AnswerReader {
  var members = AnswerMembers(hasOutput: false)

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  /// The report. Without usage, nothing in an error is ambiguous for metering.
  var report: UsageReport {
    var report = members.report()
    if report.usage == nil { report.isAmbiguous = false }
    return report
  }
}
