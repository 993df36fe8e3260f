import HTTP
import Objects
import Pricing

/// The meaning of a form's part for metering.
enum FormField: Sendable, Hashable {
  case model
  case stream
  case user
  /// Text that the model reads.
  case text
  /// The sound to transcribe.
  case audioFile
  /// A picture that the model sees. A form may have several.
  case imageFile
  case transcriptFormat
  case imageCount
  case imageSize
  case imageQuality
  case partialImages
  /// A part that the model never reads as text. It may be repeated.
  case inert
  /// A file that the provider would fetch by itself.
  case remoteFile
}

/// Gathers the facts of a request that is a form, part by part.
struct MultipartRequest {
  private let fields: [String: FormField]
  private let body: [UInt8]
  private let form: MultipartForm
  private var facts: RequestFacts
  private var transcript: TranscriptRequest
  private var seen: Set<String> = []

  /// - Parameter contentType: The value of the request's `Content-Type`.
  init(
    _ body: [UInt8], contentType: String, fields: [String: FormField], endpoint: Endpoint
  ) throws(MeteringError) {
    self.body = body
    self.fields = fields
    do { form = try MultipartForm(body, contentType: contentType) } catch { throw .notAForm(error) }
    facts = RequestFacts(of: endpoint)
    transcript = TranscriptRequest(boundary: form.boundary)
  }

  consuming func read() throws(MeteringError) -> RequestFacts {
    for part in form.parts { try read(part) }
    guard !facts.model.isEmpty else { throw .missing(param: "model") }
    if fields.values.contains(.audioFile) {
      guard facts.audioMilliseconds > 0 else { throw .missing(param: "file") }
      facts.transcript = transcript
    }
    facts.boundMediaOutput()
    facts.references = try MeteringError.references { () throws(TooManyReferences) in
      try ObjectReferences.inForm(form, of: body)
    }
    return facts
  }

  private mutating func read(_ part: MultipartForm.Part) throws(MeteringError) {
    let name = String(part.name.prefix { $0 != "[" })
    // A list, or a member of an inert part: `chunking_strategy[type]`.
    let isInList = part.name == "\(name)[]" || fields[name] == .inert
    let field = fields[part.name] ?? (isInList ? fields[name] : nil)
    let isRepeatable = field == .inert || field == .imageFile
    // Some servers read `model[]` as `model`, so a part that isn't a list has only one spelling.
    guard isRepeatable || part.name == name || fields[name] == nil else {
      throw .invalid(param: name, expected: "sent without brackets")
    }
    if fields[name] == nil {
      try RequestFacts.checkSpelling(of: name) { fields[$0, default: .inert] != .inert }
    }
    guard seen.insert(part.name).inserted || isRepeatable else {
      throw .repeatedMember(part.name)
    }
    switch field {
    case .audioFile: try readSound(part)
    case .imageFile: facts.input.images += 1
    case .inert: break
    default:
      guard !part.isFile else { throw .invalid(param: part.name, expected: "text, not a file") }
      try read(text: part, as: field)
    }
  }

  private mutating func read(
    text part: MultipartForm.Part, as field: FormField?
  ) throws(MeteringError) {
    let name = part.name
    switch field {
    case .model: facts.model = try text(of: part)
    case .stream: facts.stream = try boolean(part)
    case .user:
      let user = try text(of: part)
      try RequestFacts.check(identifier: user, param: name)
      facts.user = user
    case .transcriptFormat:
      transcript.format = TranscriptFormat(rawValue: try text(of: part))
      transcript.formatPlace = part.content
    case .imageCount: facts.images = try integer(part, in: RequestFacts.choicesAllowed)
    case .imageSize: facts.imageSize = try text(of: part)
    case .imageQuality: facts.imageQuality = try text(of: part)
    case .partialImages: facts.partialImages = try integer(part, in: 0...100)
    case .remoteFile:
      throw .unsupported(
        param: name,
        reason: "Catraca can't measure a sound that only the provider fetches: "
          + "send it as 'file', not as '\(name)'.")
    case nil:
      facts.input.textBytes += Int64(part.content.count)
      try facts.otherModels.search(part, of: body)
    case .text, .audioFile, .imageFile, .inert:
      facts.input.textBytes += Int64(part.content.count)
    }
  }

  private mutating func readSound(_ part: MultipartForm.Part) throws(MeteringError) {
    guard part.isFile else { throw .invalid(param: part.name, expected: "a file with a filename") }
    let length = AudioLength(ofFile: body.span.extracting(part.content))
    facts.audioMilliseconds = length.bound
    facts.estimatedAudioMilliseconds = length.estimate
    facts.input.audioMilliseconds = length.bound
  }

  // MARK: Values

  private func text(of part: MultipartForm.Part) throws(MeteringError) -> String {
    guard part.content.count <= RequestFacts.longestName,
      let text = String(validating: body[part.content], as: UTF8.self)
    else {
      let expected = "a text of at most \(RequestFacts.longestName) bytes"
      throw .invalid(param: part.name, expected: expected)
    }
    return text
  }

  private func boolean(_ part: MultipartForm.Part) throws(MeteringError) -> Bool {
    switch try text(of: part).lowercased() {
    case "true", "1": return true
    case "false", "0", "": return false
    default: throw .invalid(param: part.name, expected: "true or false")
    }
  }

  private func integer(
    _ part: MultipartForm.Part, in range: ClosedRange<Int64>
  ) throws(MeteringError) -> Int64 {
    guard let integer = Int64(try text(of: part)), range.contains(integer) else {
      throw .invalid(
        param: part.name, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }
}
