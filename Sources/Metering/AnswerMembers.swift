import JSON

/// The members that the answers of most endpoints have: the model, the tier, the usage, an error.
///
/// Whatever comes again replaces what came before: providers repeat usage within a stream.
struct AnswerMembers {
  private var gathered = UsageReport()
  private(set) var usage: ReportedUsage?

  /// Reads a member; false if it is none of these.
  mutating func read(_ member: JSONMember) -> Bool {
    let value = member.value
    if member.hasKey("model") {
      read(model: value)
    } else if member.hasKey("usage") {
      usage = ReportedUsage(value) ?? usage
    } else if member.hasKey("service_tier") {
      gathered.serviceTier = value.string ?? gathered.serviceTier
    } else if member.hasKey("error") {
      noteError(value)
    } else {
      return false
    }
    return true
  }

  /// Takes note of an error: an object or a text; `null`, `false` and an empty text are none.
  mutating func noteError(_ value: JSONValue) {
    let isError =
      switch value.kind {
      case .null: false
      case .boolean: value.boolean == true
      case .string: value.utf8Count != 0
      default: true
      }
    gathered.isError = gathered.isError || isError
  }

  mutating func noteError() {
    gathered.isError = true
  }

  mutating func noteUnreadable() {
    gathered.isUnreadable = true
  }

  var textBytes: Int64 { gathered.outputTextBytes }

  mutating func add(textBytes: Int) {
    gathered.outputTextBytes += Int64(textBytes)
  }

  /// Takes note of the text of a whole answer, of which pieces may have been counted.
  mutating func note(textBytesAtLeast textBytes: Int) {
    gathered.outputTextBytes = max(gathered.outputTextBytes, Int64(textBytes))
  }

  /// All that was gathered, with `other` as the usage where no member had one.
  func report(or other: ReportedUsage? = nil) -> UsageReport {
    var report = gathered
    let reported = usage ?? other
    report.usage = reported?.usage
    report.isUsageAdjusted = reported?.isAdjusted ?? false
    report.unlistedTokens = reported?.unlistedTokens ?? 0
    return report
  }

  private mutating func read(model value: JSONValue) {
    guard let length = value.utf8Count, length > 0, length <= RequestFacts.longestName else {
      return
    }
    if let known = gathered.responseModel, value.isString(known) { return }
    gathered.responseModel = value.string
  }
}

/// An answer with a status of 400 or above. It is charged only if it reports usage.
struct ErrorAnswer: AnswerReader {
  private var members = AnswerMembers()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    for member in root.members { _ = members.read(member) }
  }

  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  var report: UsageReport { members.report() }
}
