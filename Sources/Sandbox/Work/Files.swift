internal import EventLoop
internal import HTTP

/// Files that were uploaded, or that the sandbox made of a batch's results.
final class Files: Sendable {
  struct File: Sendable {
    let name: String
    let purpose: String
    let content: [UInt8]
  }

  private struct State {
    var files: [String: File] = [:]
    /// The ids, oldest first.
    var order: [String] = []
    var count = 0
  }

  private let state = Lock(State())

  /// The most files that are kept. The oldest is dropped.
  private static let capacity = 1000

  func add(_ file: File) -> String {
    state.withLock { state in
      if state.order.count == Files.capacity {
        state.files[state.order.removeFirst()] = nil
      }
      state.count += 1
      let id = "file-sandbox-\(state.count)"
      state.files[id] = file
      state.order.append(id)
      return id
    }
  }

  func file(_ id: String) throws(ProviderError) -> File {
    guard let file = state.withLock({ $0.files[id] }) else {
      throw ProviderError(status: 404, message: "No such File object: \(id)", param: "id")
    }
    return file
  }

  /// Keeps the file of a form, and returns it in the provider's shape.
  ///
  /// - Throws: A 400 if the form can't be read, or if its file or its purpose is missing.
  func upload(_ head: RequestHead, _ body: [UInt8]) throws(ProviderError) -> JSONText {
    let form: MultipartForm
    do {
      form = try MultipartForm(body, contentType: head.fields.first(.contentType) ?? "")
    } catch {
      throw ProviderError(status: 400, message: "Could not parse multipart form: \(error.reason)")
    }
    guard let file = form.parts.first(where: \.isFile) else { throw .missing("file") }
    guard let purpose = form.parts.first(where: { $0.name == "purpose" }) else {
      throw .missing("purpose")
    }
    let id = add(
      File(
        name: file.filename ?? "", purpose: String(decoding: body[purpose.content], as: UTF8.self),
        content: Array(body[file.content])))
    return try object(id)
  }

  func object(_ id: String) throws(ProviderError) -> JSONText {
    let file = try file(id)
    return """
      {"id":\(id),"object":"file","bytes":\(file.content.count),"created_at":1795000000,
      "filename":\(file.name),"purpose":\(file.purpose),"status":"processed"}
      """
  }
}

/// The objects that the sandbox keeps between calls.
struct ProviderObjects {
  let responses = BackgroundResponses()
  let files: Files
  let batches: Batches

  init() {
    files = Files()
    batches = Batches(files: files)
  }
}
