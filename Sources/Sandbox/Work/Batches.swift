internal import EventLoop
internal import HTTP
internal import JSON

/// Batches. The requests of each are answered when it is submitted. Then it is in progress for the
/// number of requests for its state that its script asks for. A batch that is cancelled before has
/// the results of the first half of its lines.
final class Batches: Sendable {
  private struct Entry {
    let endpoint: String
    let inputFileID: String
    /// The answer or the error of each request.
    let results: [Result]
    var pendingLooks: Int
    var status = "in_progress"
    /// The number of results that are finished, from the first on.
    var finished = 0
    var outputFileID: String?
    var errorFileID: String?
  }

  private struct Result {
    let line: JSONText
    let isError: Bool
  }

  private let files: Files
  private let entries = Lock<[String: Entry]>([:])

  /// The most batches that are kept. Further ones are refused.
  private static let capacity = 1000

  init(files: Files) {
    self.files = files
  }

  /// - Parameter answer: makes the answer to one request from its path and its body.
  /// - Throws: The error that the provider would answer.
  func submit(
    _ body: [UInt8], script: SandboxScript, number: Int64,
    answer: (String, [UInt8]) throws(ProviderError) -> JSONText
  ) throws(ProviderError) -> JSONText {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    guard let fileID = root["input_file_id"]?.string else { throw .missing("input_file_id") }
    guard let endpoint = root["endpoint"]?.string else { throw .missing("endpoint") }
    let lines = try files.file(fileID).content.split(separator: UInt8(ascii: "\n"))
    var results: [Result] = []
    for (index, line) in lines.enumerated() {
      results.append(try Batches.result(of: Array(line), index, answer))
    }
    let id = "batch_sandbox_\(number)"
    let entry = Entry(
      endpoint: endpoint, inputFileID: fileID, results: results, pendingLooks: script.pendingLooks)
    let isTaken = entries.withLock { entries in
      guard entries.count < Batches.capacity else { return false }
      entries[id] = entry
      return true
    }
    guard isTaken else { throw ProviderError(status: 429, message: "Too many batches.") }
    return Batches.json(id, entry, status: "validating")
  }

  /// The batch's current state. Each request for it brings its end nearer.
  ///
  /// - Throws: A 404 if there is no such batch.
  func look(at id: String) throws(ProviderError) -> JSONText {
    try change(id) { entry in
      if entry.pendingLooks == 0 {
        end(&entry, as: "completed", entry.results.count)
      } else {
        entry.pendingLooks -= 1
      }
    }
  }

  func cancel(_ id: String) throws(ProviderError) -> JSONText {
    try change(id) { entry in end(&entry, as: "cancelled", entry.results.count / 2) }
  }

  private func change(
    _ id: String, _ change: (inout Entry) -> Void
  ) throws(ProviderError) -> JSONText {
    try entries.withLock { entries throws(ProviderError) in
      guard var entry = entries[id] else {
        throw ProviderError(status: 404, message: "No batch found with id '\(id)'.")
      }
      change(&entry)
      entries[id] = entry
      return Batches.json(id, entry, status: entry.status)
    }
  }

  private func end(_ entry: inout Entry, as status: String, _ finished: Int) {
    guard entry.status == "in_progress" else { return }
    entry.status = status
    entry.finished = finished
    let done = entry.results.prefix(finished)
    entry.outputFileID = file(of: done.filter { !$0.isError })
    entry.errorFileID = file(of: done.filter(\.isError))
  }

  private func file(of results: [Result]) -> String? {
    guard !results.isEmpty else { return nil }
    let content = results.flatMap { $0.line.bytes + [UInt8(ascii: "\n")] }
    return files.add(
      Files.File(name: "results.jsonl", purpose: "batch_output", content: content))
  }

  private static func result(
    of line: [UInt8], _ index: Int, _ answer: (String, [UInt8]) throws(ProviderError) -> JSONText
  ) throws(ProviderError) -> Result {
    let parser = JSONParser()
    let root = try ProviderError.root(of: line, parser)
    guard let path = root["url"]?.string, let customID = root["custom_id"]?.string,
      let request = JSONLocatedObject(root: root)?.member("body")?.valueRange
    else { throw .unreadableBody }
    var status = 200
    let body: JSONText
    do {
      body = try answer(path, Array(line[request]))
    } catch {
      status = error.status
      body = error.json
    }
    return Result(
      line: """
        {"id":"batch_req_\(index)","custom_id":\(customID),
        "response":{"status_code":\(status),"request_id":"req_\(index)","body":\(body)},
        "error":null}
        """,
      isError: status >= 400)
  }

  private static func json(_ id: String, _ entry: Entry, status: String) -> JSONText {
    let done = entry.results.prefix(entry.finished)
    let failed = done.count(where: \.isError)
    return """
      {"id":\(id),"object":"batch","endpoint":\(entry.endpoint),
      "input_file_id":\(entry.inputFileID),"completion_window":"24h","status":\(status),
      "created_at":1795000000,"output_file_id":\(entry.outputFileID),
      "error_file_id":\(entry.errorFileID),
      "request_counts":{"total":\(entry.results.count),"completed":\(done.count - failed),
      "failed":\(failed)}}
      """
  }
}
