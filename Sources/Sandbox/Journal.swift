internal import EventLoop

/// The requests that the sandbox got and the answers that it gave. It is the provider's own count,
/// to compare with Catraca's.
final class Journal: Sendable {
  /// The number of newest entries that are always kept. The journal keeps at most twice as many.
  static let capacity = 10_000

  private struct State {
    var entries: [JournalEntry] = []
    var nextNumber: Int64 = 1
  }

  private let state = Lock(State())

  /// Adds an entry for a request that has just come, and returns its number.
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

  /// Changes an entry, if the journal still keeps it.
  func update(_ number: Int64, _ change: @Sendable (inout JournalEntry) -> Void) {
    state.withLock { state in
      // The numbers rise by one from entry to entry.
      guard let first = state.entries.first?.number else { return }
      let index = Int(number - first)
      guard state.entries.indices.contains(index) else { return }
      change(&state.entries[index])
    }
  }

  func clear() {
    state.withLock { $0.entries = [] }
  }

  /// The entries, oldest first.
  var entries: [JournalEntry] { state.withLock { $0.entries } }

  /// The entries as one JSON text a line, oldest first.
  var lines: [UInt8] {
    var lines: [UInt8] = []
    for entry in entries {
      lines += entry.json.bytes
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
  var answer: JSONText = ""
}

/// One request and its outcome.
struct JournalEntry: Sendable {
  var number: Int64 = 0
  /// The time of the request, in seconds since 1970.
  var unixTime: Int64 = 0
  var method: String
  var path: String
  /// The last characters of the request's key, enough to tell keys apart.
  var keyEnding: String?
  var model: String?
  var isStreamed = false
  /// The status of the answer; nil before there is an answer.
  var status: Int?
  /// The usage that a provider would bill; nil if it bills nothing.
  var usage: SandboxUsage?
  /// The usage that a provider would bill for each line of a batch.
  var batchLines: [SandboxBatchLine] = []
  /// Whether the whole answer was sent.
  var isComplete = false
  /// The request's `x-client-request-id`.
  var clientRequestID: String?
  var script: String?
  /// The first bytes of the body, at most `bodyLimit`.
  var body: [UInt8] = []

  /// The most bytes of a body that an entry keeps: 4 KiB.
  static let bodyLimit = 4 << 10
  private static let keyEndingLength = 4

  static func ending(ofKey key: (some StringProtocol)?) -> String? {
    key.map { String($0.suffix(keyEndingLength)) }
  }

  var json: JSONText {
    """
    {"id":\(number),"method":\(method),"path":\(path),"key_ending":\(keyEnding),
    "model":\(model),"stream":\(isStreamed),"status":\(status.map(Int64.init)),
    "prompt_tokens":\(usage?.promptTokens),"completion_tokens":\(usage?.completionTokens),
    "completed":\(isComplete),"client_request_id":\(clientRequestID),"x_sandbox":\(script),
    "body":\(String(decoding: body, as: UTF8.self))}
    """
  }
}
