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
    let line: [UInt8]
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
    answer: (String, [UInt8]) throws(ProviderError) -> [UInt8]
  ) throws(ProviderError) -> [UInt8] {
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
  func look(at id: String) throws(ProviderError) -> [UInt8] {
    try change(id) { entry in
      if entry.pendingLooks == 0 {
        end(&entry, as: "completed", entry.results.count)
      } else {
        entry.pendingLooks -= 1
      }
    }
  }

  func cancel(_ id: String) throws(ProviderError) -> [UInt8] {
    try change(id) { entry in end(&entry, as: "cancelled", entry.results.count / 2) }
  }

  private func change(
    _ id: String, _ change: (inout Entry) -> Void
  ) throws(ProviderError) -> [UInt8] {
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
    let content = results.flatMap { $0.line + [UInt8(ascii: "\n")] }
    return files.add(
      Files.File(name: "results.jsonl", purpose: "batch_output", content: content))
  }

  private static func result(
    of line: [UInt8], _ index: Int, _ answer: (String, [UInt8]) throws(ProviderError) -> [UInt8]
  ) throws(ProviderError) -> Result {
    let parser = JSONParser()
    let root = try ProviderError.root(of: line, parser)
    guard let path = root["url"]?.string, let customID = root["custom_id"]?.string,
      let request = JSONLocatedObject(root: root)?.member("body")?.valueRange
    else { throw .unreadableBody }
    var status = 200
    let body: [UInt8]
    do {
      body = try answer(path, Array(line[request]))
    } catch {
      status = error.status
      body = error.json
    }
    var writer = JSONWriter()
    writer.object { result in
      result.member("id", "batch_req_\(index)")
      result.member("custom_id", customID)
      result.member("response") { response in
        response.object {
          $0.member("status_code", Int64(status))
          $0.member("request_id", "req_\(index)")
          $0.key("body")
          $0.raw(body)
        }
      }
      result.member("error") { $0.null() }
    }
    return Result(line: writer.bytes, isError: status >= 400)
  }

  private static func json(_ id: String, _ entry: Entry, status: String) -> [UInt8] {
    let done = entry.results.prefix(entry.finished)
    var writer = JSONWriter()
    writer.object {
      $0.member("id", id)
      $0.member("object", "batch")
      $0.member("endpoint", entry.endpoint)
      $0.member("input_file_id", entry.inputFileID)
      $0.member("completion_window", "24h")
      $0.member("status", status)
      $0.member("created_at", 1_795_000_000)
      $0.member("output_file_id", entry.outputFileID)
      $0.member("error_file_id", entry.errorFileID)
      $0.member("request_counts") { counts in
        counts.object {
          $0.member("total", Int64(entry.results.count))
          $0.member("completed", Int64(done.filter { !$0.isError }.count))
          $0.member("failed", Int64(done.filter(\.isError).count))
        }
      }
    }
    return writer.bytes
  }
}
