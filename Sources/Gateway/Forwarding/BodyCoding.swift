internal import Compression
internal import HTTP
internal import HTTPServer
internal import Metering
internal import Upstream

/// The coding of a body, from `Content-Encoding`.
enum BodyCoding: Hashable {
  case plain
  case coded(ContentCoding)
  /// A coding that Catraca can't undo, or several, one in the other.
  case unknown

  init(_ fields: HeaderFields) {
    guard fields.contains(.contentEncoding) else {
      self = .plain
      return
    }
    let names = fields.values(.contentEncoding).flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" } }
      .filter { !$0.isEmpty && $0.lowercased() != "identity" }
    switch (names.first, names.count) {
    case (nil, _): self = .plain
    case (let name?, 1): self = ContentCoding(name: name).map(BodyCoding.coded) ?? .unknown
    default: self = .unknown
    }
  }

  /// A whole body, decoded; nil where that can't be done, or has more than `limit` bytes.
  func text(of body: [UInt8], atMost limit: Int) -> [UInt8]? {
    switch self {
    case .plain: body
    case .coded(let coding): try? ContentDecoder.decode(body, as: coding, atMost: limit)
    // The answer to HEAD has no body, whatever its fields say.
    case .unknown: body.isEmpty ? body : nil
    }
  }

  /// The first part of a body, decoded as far as that can be done: about `limit` bytes at most.
  func beginning(of body: [UInt8], atMost limit: Int) -> [UInt8] {
    guard case .coded(let coding) = self else { return self == .plain ? body : [] }
    var decoder = ContentDecoder(coding, atMost: limit)
    var text: [UInt8] = []
    var position = 0
    // Content before a fault was appended.
    while (try? decoder.decode(body, from: &position, into: &text)) == true {}
    return text
  }

  /// Undoes the coding of a stream; nil where there is nothing to undo, or nobody can.
  var decoder: ContentDecoder? {
    if case .coded(let coding) = self { ContentDecoder(coding) } else { nil }
  }
}

extension UpstreamResponseHead {
  var coding: BodyCoding { BodyCoding(fields) }

  /// Whether its body is coded and may be what a server says of itself, in which a key of the
  /// provider can stand: a page of HTML, or beside a redirect. Coded sound and files pass as they
  /// are. A part of a coded body can't be decoded.
  var isCodedPage: Bool {
    guard status != 206, coding.decoder != nil else { return false }
    return status >= 300 || fields.first(.contentType)?.lowercased().hasPrefix("text/html") == true
  }

  /// The head of the same response with a body that isn't coded.
  var withoutCoding: UpstreamResponseHead {
    guard fields.contains(.contentEncoding) else { return self }
    var fields = fields
    fields.remove(.contentEncoding)
    return UpstreamResponseHead(status: status, version: version, fields: fields)
  }
}

/// Reads the body of a response decoded, piece by piece.
struct DecodedBody: ~Copyable {
  private let transfer: Transfer
  private let isUnknown: Bool
  private var decoder: ContentDecoder?
  private var coded: [UInt8] = []
  private var position = 0
  private var hasMore = false
  private var hasBegun = false

  init(of transfer: Transfer, _ head: UpstreamResponseHead) {
    self.transfer = transfer
    let coding = head.coding
    isUnknown = coding == .unknown
    decoder = coding.decoder
  }

  /// Replaces the content of `piece` by what comes next, as `Transfer.next` does. A piece of a
  /// coded body may be empty.
  ///
  /// - Throws: `UpstreamError` or `DecodingError`.
  mutating func next(into piece: inout [UInt8]) async throws -> Bool {
    guard !isUnknown else { throw DecodingError.malformed }
    if decoder == nil { return try await transfer.next(into: &piece) }
    if !hasMore {
      guard try await transfer.next(into: &coded) else {
        piece.removeAll(keepingCapacity: true)
        guard isComplete else { throw DecodingError.truncated }
        return false
      }
      position = 0
      hasBegun = true
    }
    piece.removeAll(keepingCapacity: true)
    hasMore = try decode(into: &piece)
    return true
  }

  private var isComplete: Bool {
    // The answer to HEAD and a 304 have no body, and may say how it would be coded.
    guard hasBegun else { return true }
    return switch decoder {
    case .some(let decoder): decoder.isComplete
    case nil: true
    }
  }

  private mutating func decode(into piece: inout [UInt8]) throws(DecodingError) -> Bool {
    try decoder?.decode(coded, from: &position, into: &piece) ?? false
  }
}

extension Transfer {
  /// The whole body, decoded; nil where it is larger than `limit` or can't be decoded.
  func body(
    of head: UpstreamResponseHead, atMost limit: Int
  ) async throws(UpstreamError) -> [UInt8]? {
    guard let body = try await body(atMost: limit) else { return nil }
    return head.coding.text(of: body, atMost: limit)
  }
}

extension MeteredRequest {
  /// Reads a request's body that is coded, and decodes it.
  ///
  /// - Throws: what `readBody` throws, 415 for a coding that requests may not have, 413 for a body
  ///   that is too large when it is decoded, 400 for one that can't be decoded.
  static func readCoded(
    _ coding: BodyCoding, limit: Int, of exchange: HTTPExchange
  ) async throws(Refusal) -> [UInt8] {
    guard case .coded(let coding) = coding, requestCodings.contains(coding) else {
      throw .unknownCoding
    }
    let body: [UInt8]
    do { body = try await exchange.readBody(limit: limit) } catch {
      throw refusal(of: error, limit: limit)
    }
    do {
      return try ContentDecoder.decode(body, as: coding, atMost: limit) { room in
        try exchange.countBody(body.count + room)
      }
    } catch let error as HTTPExchangeError {
      throw refusal(of: error, limit: limit)
    } catch {
      switch error as? DecodingError {
      case .tooLarge: throw .bodyTooLarge(limit: limit)
      case .tooDense: throw .bodyTooDense
      case .malformed, .truncated, nil:
        throw .unreadable(.undecodable(coding: coding.rawValue))
      }
    }
  }

  /// The codings that a request may have. Apps are known to use these two.
  static let requestCodings: [ContentCoding] = [.gzip, .zstd]
}

extension RefusalAnswer {
  /// In place of an error of the provider, under its status.
  static func undecodable(provider: String) -> RefusalAnswer {
    RefusalAnswer(
      502, "server_error", "upstream_invalid_response",
      "The provider '\(provider)' sent an error in a 'Content-Encoding' that can't be undone.")
  }

  static let bodyTooDense = RefusalAnswer(
    413, "invalid_request_error", "request_too_large",
    "The request body has more than \(ContentDecoder.freeBytes) bytes when it is decoded, and is "
      + "more than \(ContentDecoder.largestRatio) times as large as what was sent.")

  /// With the codings that the request may have, as RFC 9110 wants it.
  static let unknownCoding: RefusalAnswer = {
    let codings = MeteredRequest.requestCodings.map(\.rawValue)
    var answer = RefusalAnswer(
      415, "invalid_request_error", "unsupported_content_encoding",
      "The request has a 'Content-Encoding' that is not served here. Send the body as it is, or "
        + "with one of: \(codings.joined(separator: ", ")).",
      param: "Content-Encoding")
    answer.fields = [(.acceptEncoding, codings.joined(separator: ", "))]
    return answer
  }()
}
