import HTTP
import JSON
import Pricing
import Testing

@testable import Metering

@Suite("Requests that are forms")
struct MultipartRequestTests {
  private func read(
    _ fields: [String: String], files: [String: Int] = ["file": 8000],
    endpoint: Endpoint = Endpoints.transcriptions
  ) throws(MeteringError) -> RequestFacts {
    let body = MediaBody(fields: fields, files: files)
    return try RequestFacts.read(
      body.bytes, contentType: body.contentType, endpoint: endpoint, parser: JSONParser())
  }

  @Test("A sound in an unknown format is bounded by the codec with the fewest bytes a second")
  func boundByBytes() throws {
    let facts = try read(["model": "whisper-1"])
    #expect(facts.audioMilliseconds == 5_465_000)
    #expect(facts.estimatedAudioMilliseconds == 5_464_000)
  }

  @Test("A header that states less than the bytes hold shortens neither bound nor estimate")
  func lyingHeader() {
    // 100 seconds at 8 kHz and 8 bits, of which the header states 0.1.
    let length = AudioLength(ofFile: Sound.wave(seconds: 100, byteRate: 8_000_000).span)
    #expect(length.bound == 101_000)
    #expect(length.estimate == 100_000)
    let honest = AudioLength(ofFile: Sound.wave(seconds: 100, byteRate: 8000).span)
    #expect(honest == length)
  }

  @Test("A header that states more than the bytes hold is believed")
  func boastingHeader() {
    let length = AudioLength(ofFile: Sound.wave(seconds: 10, byteRate: 800).span)
    #expect(length.bound == 101_000)
    #expect(length.estimate == 100_000)
  }

  @Test("Where a header states a part of what the frames hold, the estimate is all of it")
  func halfTruth() {
    let length = AudioLength(ofFile: Sound.wave(seconds: 100, byteRate: 16_000).span)
    #expect(length.estimate == 100_000)
  }

  @Test("What is charged for a transcript that nobody saw is all that its sound can hold")
  func unseenTranscript() throws {
    #expect(try read(["model": "whisper-1"]).usualTranscriptTokens == 4 * 5464)
    let speech = RequestFacts(operation: .speech, model: "tts-1")
    #expect(speech.usualTranscriptTokens == 0)
  }

  @Test("A part that isn't known counts as text, and inert ones don't")
  func text() throws {
    let facts = try read([
      "model": "m", "prompt": "12345", "later": "678", "language": "pt",
      "chunking_strategy[type]": "server_vad", "timestamp_granularities[]": "word",
    ])
    #expect(facts.input.textBytes == 8)
  }

  @Test("Images, their number, size and quality are read, and bound the output")
  func images() throws {
    let facts = try read(
      ["model": "gpt-image-2", "n": "3", "size": "1024x1024", "quality": "low"],
      files: ["image[]": 5, "mask": 5], endpoint: Endpoints.imageEdits)
    #expect(facts.images == 3)
    #expect(facts.choices == 3)
    #expect(facts.input.images == 2)
    #expect(facts.outputLimit == 401)
  }

  @Test(
    "What can't be metered is refused, with the parameter's name",
    arguments: [
      ([:], ["file": 1], .missing(param: "model")),
      (["model": "m"], [:], .missing(param: "file")),
      (["model": "m"], ["model": 1, "file": 1], nil),
      (["model[]": "m"], ["file": 1], .invalid(param: "model", expected: "sent without brackets")),
      (["model": "m", "file": "text"], [:], nil),
      (["model": "m", "stream": "perhaps"], ["file": 1], nil),
      (["model": "m", "url": "https://example.org/a.mp3"], [:], nil),
    ] as [([String: String], [String: Int], MeteringError?)])
  func refusals(
    _ fields: [String: String], _ files: [String: Int], _ expected: MeteringError?
  ) {
    let error = #expect(throws: MeteringError.self) { try read(fields, files: files) }
    if let expected { #expect(error == expected) }
  }

  @Test("A body that isn't a form is refused")
  func notAForm() {
    let error = #expect(throws: MeteringError.self) {
      try RequestFacts.read(
        Array("{}".utf8), contentType: "application/json", endpoint: Endpoints.transcriptions,
        parser: JSONParser())
    }
    #expect(error == .notAForm(.invalidContentType))
  }
}

/// A WAV file of silence at 8 kHz and 8 bits.
enum Sound {
  static func wave(seconds: Int, byteRate: UInt32) -> [UInt8] {
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }
    let size = seconds * 8000
    return Array("RIFF".utf8) + little(0, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
      + little(1, 2) + little(1, 2) + little(8000, 4) + little(byteRate, 4) + little(1, 2)
      + little(8, 2) + Array("data".utf8) + little(UInt32(size), 4)
      + [UInt8](repeating: 128, count: size)
  }
}

@Suite("Requests for speech and images in JSON")
struct MediaRequestTests {
  private func read(_ json: String, _ endpoint: Endpoint) throws -> RequestFacts {
    try RequestFacts.read(Array(json.utf8), endpoint: endpoint, parser: JSONParser())
  }

  @Test("Speech is counted in code points, for models priced by them")
  func speech() throws {
    let facts = try read(#"{"model":"tts-1","input":"Café 🙂"}"#, Endpoints.speech)
    #expect(facts.characters == 6)
    #expect(facts.outputLimit == 0)
  }

  @Test("A model that speaks by the token is bound in tokens of sound")
  func speechByToken() throws {
    let facts = try read(
      #"{"model":"gpt-4o-mini-tts","input":"0123456789","stream_format":"sse"}"#, Endpoints.speech)
    #expect(facts.characters == 0)
    #expect(facts.asksForAudio && facts.stream)
    #expect(facts.outputLimit == 300)
    #expect(facts.estimate.audioOutputTokens == 20)
  }

  @Test(
    "Images are bound by their size and quality",
    arguments: [
      (#""size":"1024x1024","quality":"medium""#, 1601),
      (#""size":"1536x1024","quality":"high""#, 9451),
      (#""size":"1024x1024","quality":"low","partial_images":2"#, 601),
      (#""quality":"auto""#, 25_201),
      (#""size":"1024x1024","quality":"max""#, 25_201),
    ])
  func images(_ members: String, _ expected: Int64) throws {
    let json = #"{"model":"gpt-image-2","prompt":"x",\#(members)}"#
    #expect(try read(json, Endpoints.imageGenerations).outputLimit == expected)
  }
}
