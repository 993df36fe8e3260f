internal import EventLoop
internal import JSON

/// What the sandbox has been asked and has answered: the provider's own count, to compare a
/// meter's with.
final class Journal: Sendable {
  /// So many of the newest entries are kept at least, twice as many at most.
  static let capacity = 10_000

  private struct State {
    var entries: [JournalEntry] = []
    var nextNumber: Int64 = 1
  }

  private let state = Lock(State())

  /// Adds an entry for a request that has just come; returns its number.
  func open(_ entry: JournalEntry) -> Int64 {
    state.withLock { state in
      var entry = entry
      entry.number = state.nextNumber
      state.nextNumber += 1
      if state.entries.count == 2 * Journal.capacity {
        state.entries.removeFirst(Journal.capacity)
      }
      state.entries.append(entry)
      return entry.number
    }
  }

  /// Changes an entry, if it is still kept.
  func update(_ number: Int64, _ change: @Sendable (inout JournalEntry) -> Void) {
    state.withLock { state in
      // Numbers rise by one from entry to entry.
      guard let first = state.entries.first?.number else { return }
      let index = Int(number - first)
      guard state.entries.indices.contains(index) else { return }
      change(&state.entries[index])
    }
  }

  func clear() {
    state.withLock { $0.entries = [] }
  }

  /// Oldest first.
  var entries: [JournalEntry] { state.withLock { $0.entries } }

  /// One JSON text a line, oldest first.
  var lines: [UInt8] {
    var lines: [UInt8] = []
    for entry in entries {
      entry.write(to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }
}

/// One request of a batch.
struct SandboxBatchLine: Sendable {
  let path: String
  let model: String
  let usage: SandboxUsage
  /// The body of the answer.
  var answer: [UInt8] = []
}

/// One request and what became of it.
struct JournalEntry: Sendable {
  var number: Int64 = 0
  /// When it came, in seconds since 1970.
  var unixTime: Int64 = 0
  var method: String
  var path: String
  /// The last characters of the key that was sent: enough to tell keys apart.
  var keyEnding: String?
  var model: String?
  var isStreamed = false
  /// What was answered; nil while nothing is.
  var status: Int?
  /// What a provider would bill; nil when it bills nothing.
  var usage: SandboxUsage?
  /// What a provider would bill of the lines of a batch.
  var batchLines: [SandboxBatchLine] = []
  /// The whole answer was sent.
  var isComplete = false
  /// The request's `x-client-request-id`.
  var clientRequestID: String?
  var script: String?
  /// The beginning of the body.
  var body: [UInt8] = []

  /// So much of a body is kept.
  static let bodyLimit = 4 << 10
  private static let keyEndingLength = 4

  static func ending(ofKey key: (some StringProtocol)?) -> String? {
    key.map { String($0.suffix(keyEndingLength)) }
  }

  func write(to output: inout [UInt8]) {
    var writer = JSONWriter(appendingTo: output)
    writer.object { entry in
      entry.member("id", number)
      entry.member("method", method)
      entry.member("path", path)
      entry.member("key_ending", keyEnding)
      entry.member("model", model)
      entry.member("stream", isStreamed)
      entry.member("status", status.map(Int64.init))
      entry.member("prompt_tokens", usage?.promptTokens)
      entry.member("completion_tokens", usage?.completionTokens)
      entry.member("completed", isComplete)
      entry.member("client_request_id", clientRequestID)
      entry.member("x_sandbox", script)
      entry.member("body", String(decoding: body, as: UTF8.self))
    }
    output = writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ key: String, _ value: Int64?) {
    self.key(key)
    if let value { integer(value) } else { null() }
  }
}
