import Foundation
import Testing

@testable import Metering

/// One entry of Cases/index.json: a request, the provider's answer, and what metering must find.
struct Case: Decodable, Sendable, CustomTestStringConvertible {
  var name: String
  var provider: String
  var endpoint: String
  var streaming: Bool
  var request: JSONText
  var status: Int
  var responseFile: String
  var clientFile: String?
  var proxyInjectedIncludeUsage: Bool?
  var tcpSplitAt: [Int]?
  var expected: Expected

  var testDescription: String { name }

  struct Expected: Decodable, Sendable {
    var usageFound: Bool
    var outcome: String
    var model: String?
    var serviceTier: String?
    var inputTokens: Int64?
    var cachedInputTokens: Int64?
    var cacheWriteTokens: Int64?
    var audioInputTokens: Int64?
    var outputTokens: Int64?
    var reasoningTokens: Int64?
    var audioOutputTokens: Int64?
    var byModel: [String: Tokens]?
    var toolCalls: [String: Int64]?
    var containerSessions: [String: Int64]?
    var imageTool: ImageTool?
    var billable: Bool?
    var estimate: Sizes?
  }

  struct Tokens: Decodable, Sendable {
    var inputTokens: Int64
    var cachedInputTokens: Int64?
    var outputTokens: Int64
  }

  /// The tokens that a drawing tool used, of its own model.
  struct ImageTool: Decodable, Sendable {
    var model: String
    var inputTokens: Int64
    var imageOutputTokens: Int64
  }

  struct Sizes: Decodable, Sendable {
    var inputTextUtf8Bytes: Int64
    var outputTextUtf8Bytes: Int64
  }
}

extension Case {
  /// The entry of the table that the request goes by.
  var metered: Endpoint {
    let path =
      endpoint.hasPrefix("/openai/") ? String(endpoint.dropFirst("/openai".count)) : endpoint
    return Endpoints.metered.first { $0.path == path }!
  }

  static let all: [Case] = load()
  static let streams = all.filter(\.streaming)
  static let answers = all.filter { !$0.streaming }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Cases")

  private static func load() -> [Case] {
    struct Index: Decodable { var cases: [Case] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = try! Data(contentsOf: folder.appending(path: "index.json"))
    return try! decoder.decode(Index.self, from: data).cases
  }

  static func bytes(of file: String) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: file)))
  }

  /// The answer cut into chunks: single bytes, sevens, the whole, and where the case says.
  func chunkings() throws -> [[ArraySlice<UInt8>]] {
    let body = try Case.bytes(of: responseFile)
    var chunkings = [1, 7, body.count].map { size in
      cut(body, at: Array(stride(from: size, to: body.count, by: size)))
    }
    if let tcpSplitAt { chunkings.append(cut(body, at: tcpSplitAt)) }
    return chunkings
  }

  private func cut(_ body: [UInt8], at offsets: [Int]) -> [ArraySlice<UInt8>] {
    zip([0] + offsets, offsets + [body.count]).map { body[$0..<$1] }
  }
}

/// Any JSON value, kept as text.
struct JSONText: Decodable, Sendable {
  var bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer().decode(AnyJSON.self)
    bytes = try Array(JSONEncoder().encode(value))
  }
}

private enum AnyJSON: Codable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case string(String)
  case array([AnyJSON])
  case object([String: AnyJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([AnyJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: AnyJSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
