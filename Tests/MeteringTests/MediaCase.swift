import Foundation
import Pricing
import Testing

@testable import Metering

/// One entry of Cases/media.json: a request for sound, a transcription or images, its answer, and
/// what metering must find.
struct MediaCase: Decodable, Sendable, CustomTestStringConvertible {
  var name: String
  var provider: String
  var endpoint: String
  var streaming: Bool
  var request: JSONText
  var responseFile: String
  var expected: Expected

  var testDescription: String { name }

  struct Expected: Decodable, Sendable {
    var usageFound: Bool
    var fallback: String?
    var inputTokens: Int64?
    var audioInputTokens: Int64?
    var imageInputTokens: Int64?
    var outputTokens: Int64?
    var audioOutputTokens: Int64?
    var imageOutputTokens: Int64?
    var images: Int64?
    var seconds: String?
    var characters: Int64?
  }

  static let all: [MediaCase] = load()
  static let streams = all.filter(\.streaming)
  static let answers = all.filter { !$0.streaming }

  private static func load() -> [MediaCase] {
    struct Index: Decodable { var cases: [MediaCase] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try! decoder.decode(Index.self, from: Data(Case.bytes(of: "media.json"))).cases
  }

  var metered: Endpoint {
    let path = endpoint.hasPrefix("/openai/") ? endpoint.dropFirst("/openai".count) : endpoint[...]
    return Endpoints.metered.first { $0.path == path }!
  }
}

extension RequestFacts {
  /// The estimate for an answer without any text.
  var estimate: Usage {
    Estimate.usage(for: self, outputTextBytes: 0, by: TokenRates(model: model))
  }
}

/// A request's body and its media type.
struct MediaBody {
  var bytes: [UInt8]
  var contentType = "application/json"

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(_ example: MediaCase) throws {
    let root = try JSONSerialization.jsonObject(with: Data(example.request.bytes))
    guard let fields = (root as? [String: Any])?["multipart"] as? [String: Any] else {
      self.init(bytes: example.request.bytes)
      return
    }
    self.init(
      fields: fields.compactMapValues { $0 as? String },
      files: fields.compactMapValues { ($0 as? [String: Any])?["bytes"] as? Int })
  }

  /// - Parameter files: by name, how many bytes they have.
  init(fields: [String: String], files: [String: Int] = ["file": 1000]) {
    contentType = "multipart/form-data; boundary=b"
    var text = fields.map {
      "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n"
    }
    .joined()
    for (name, count) in files {
      text += "--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"f\"\r\n\r\n"
      text += String(repeating: "x", count: count) + "\r\n"
    }
    bytes = Array("\(text)--b--\r\n".utf8)
  }
}
