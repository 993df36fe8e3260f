import JSON
import Pricing

/// Reads the members that most endpoints' answers share: the model, the tier, the usage, an error.
///
/// A later value replaces an earlier one, because providers repeat usage within a stream.
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

  /// Notes that the answer has a member twice. From now on the largest usage counts, instead of the
  /// last.
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

  /// Returns the report of all members; `other` is the usage if no member had one.
  func report(or other: ReportedUsage? = nil) -> UsageReport {
    var report = UsageReport()
    report.responseModel = model
    report.serviceTier = serviceTier
    report.isError = isError
    report.isUnreadable = isUnreadable
    report.isAmbiguous = isAmbiguous
    report.outputTextBytes = textBytes
    let reported = usage ?? (hasUnreadableUsage ? nil : other)
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
      if isAmbiguous, let usage, usage.usage.totalTokens > read.usage.totalTokens { return }
      usage = read
    }
  }

  /// Notes a usage object that can't be read. It replaces an earlier usage, so that the answer is
  /// charged its hold.
  mutating func noteUnreadableUsage() {
    hasUnreadableUsage = true
    if !isAmbiguous { usage = nil }
  }

  private mutating func read(model value: JSONValue) {
    guard let length = value.utf8Count, length > 0, length <= RequestFacts.longestName else {
      return
    }
    if let model, value.isString(model) { return }
    model = value.string
  }
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
