internal import Audio
internal import HTTP
internal import JSON

/// The parts of a request for sound, a transcription or images that the sandbox reads. Its fields
/// come as JSON or as a form.
struct MediaRequest {
  private(set) var fields: [String: String] = [:]
  /// The duration of the uploaded sound, in milliseconds; 3.2 seconds if the file's duration isn't
  /// known.
  private(set) var milliseconds: Int64 = 3200
  private(set) var hasFile = false

  init(_ head: RequestHead, _ body: [UInt8]) throws(ProviderError) {
    let contentType = head.fields.first(.contentType) ?? ""
    if MultipartForm.isFormType(contentType) {
      try readForm(body, contentType)
    } else {
      try readJSON(body)
    }
    guard !model.isEmpty else { throw .missingModel }
    guard !model.hasPrefix("missing-") else { throw .unknownModel(model) }
  }

  var model: String { fields["model"] ?? "" }
  var isStreamed: Bool { fields["stream"] == "true" || fields["stream_format"] == "sse" }
  /// The text to speak or to draw, or a hint for a transcription.
  var text: String { fields["input"] ?? fields["prompt"] ?? "" }
  var count: Int { min(max(1, fields["n"].flatMap { Int($0) } ?? 1), MediaRequest.mostImages) }

  private static let mostImages = 10

  private mutating func readForm(_ body: [UInt8], _ contentType: String) throws(ProviderError) {
    let form: MultipartForm
    do {
      form = try MultipartForm(body, contentType: contentType)
    } catch {
      throw ProviderError(status: 400, message: "Could not parse multipart form: \(error.reason)")
    }
    for part in form.parts {
      if part.isFile {
        hasFile = true
        let content = body.span.extracting(part.content)
        // A provider bills the sound that it decodes, whatever the header states.
        let decoded = AudioDuration.boundMilliseconds(of: content) ?? 0
        let stated = AudioDuration.milliseconds(of: content) ?? 0
        if max(decoded, stated) > 0 { milliseconds = max(decoded, stated) }
      } else {
        fields[part.name] = String(decoding: body[part.content], as: UTF8.self)
      }
    }
  }

  private mutating func readJSON(_ body: [UInt8]) throws(ProviderError) {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    for member in root.members {
      let value = member.value
      let text = value.string ?? value.integer.map { "\($0)" } ?? value.boolean.map { "\($0)" }
      fields[member.key.string ?? ""] = text
    }
  }
}
