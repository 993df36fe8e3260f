internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Time

/// Takes the keys of providers out of what a provider says of an error.
///
/// A provider that refuses a key may repeat it, whole or masked. Example: of
/// `Incorrect API key provided: sk-proj-********1234.` the app gets
/// `Incorrect API key provided: [provider key].`
struct ProviderKeyRedaction {
  /// The most bytes of an error that are searched. Bytes after them pass as they are.
  static let largestError = 1 << 20
  private static let replacement = Array("[provider key]".utf8)
  /// Shorter keys aren't secrets, and could be words.
  private static let shortestKey = 8
  /// If an answer repeats this many bytes of a key, they are removed, masked or not.
  private static let longestBeginning = 12
  /// The fewest bytes of a masked key: of the key's beginning, of the mask behind it, and of the
  /// key's end.
  private static let (shortestBeginning, shortestMask, shortestEnd) = (3, 3, 2)

  private let keys: [[UInt8]]
  /// The Base64 of the keys' beginnings, at each place at which a key can begin in a text.
  private let coded: [Base64Text]

  init(of providers: [Provider]) {
    self.init(keys: providers.compactMap { $0.apiKey?.revealed() })
  }

  init(keys: [String]) {
    self.keys = keys.map { Array($0.utf8) }.filter { $0.count >= ProviderKeyRedaction.shortestKey }
    coded = self.keys.flatMap {
      Base64Text.ofAllPlaces(Array($0.prefix(ProviderKeyRedaction.longestBeginning)))
    }
  }

  /// A body without the keys, in whatever way it writes them: plain, with escapes of JSON or of a
  /// URL, in UTF-16, or in Base64.
  func redacted(_ body: [UInt8]) -> [UInt8] {
    var redacted: [UInt8] = []
    redacted.reserveCapacity(body.count)
    var index = 0
    while index < body.count {
      let byte = body[index]
      let sign = WrittenByte(body.span, at: index)?.value
      var found: Int?
      for key in keys where key[0] == sign {
        guard let end = ProviderKeyRedaction.end(of: key, in: body, from: index) else { continue }
        found = max(found ?? 0, end)
      }
      for text in coded {
        guard let end = text.end(in: body.span, at: index) else { continue }
        found = max(found ?? 0, end)
      }
      if let found {
        redacted += ProviderKeyRedaction.replacement
        index = found
      } else {
        redacted.append(byte)
        index += 1
      }
    }
    return redacted
  }

  /// Without fields that show a key, in their names or values, plain or encoded.
  func redacted(_ fields: HeaderFields) -> HeaderFields {
    var fields = fields
    fields.removeAll { name, value in
      let bytes = value.indices.map { value[$0] }
      if redacted(bytes) != bytes { return true }
      let name = String(decoding: name.indices.map { name[$0] }, as: UTF8.self).lowercased()
      return keys.contains { key in
        name.contains(String(decoding: key, as: UTF8.self).lowercased())
      }
    }
    return fields
  }

  /// Where a key ends that begins at `start`, whole, cut or masked; nil where none does.
  private static func end(of key: [UInt8], in body: [UInt8], from start: Int) -> Int? {
    var index = start
    var beginning = 0
    while beginning < key.count, let next = WrittenByte(body.span, at: index),
      next.value == key[beginning]
    {
      index = next.end
      beginning += 1
    }
    guard beginning >= shortestBeginning else { return nil }
    if beginning == key.count { return index }
    let maskStart = index
    while index < body.count, isMask(body[index]) { index += 1 }
    let isMasked = index - maskStart >= shortestMask
    let wordStart = index
    while index < body.count, isOfKey(body[index]) { index += 1 }
    let end = body[wordStart..<index]
    if isMasked, end.count >= shortestEnd, key.reversed().starts(with: end.reversed()) {
      return index
    }
    return beginning >= longestBeginning ? maskStart : nil
  }

  /// Stars, dots, and the bytes of an ellipsis or a bullet.
  private static func isMask(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "*"), UInt8(ascii: "."), 0xE2, 0x80, 0xA6, 0xA2].contains(byte)
  }

  private static func isOfKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// When the log last told that a provider refuses its key: once a minute is enough.
final class RefusedKeys: Sendable {
  private static let pauseMilliseconds: Int64 = 60_000
  private struct Key: Hashable {
    let provider: String
    let owner: String?
  }
  private let told = Lock<[Key: Timestamp]>([:])

  func isDue(_ provider: Provider, at now: Timestamp) -> Bool {
    let key = Key(provider: provider.name, owner: provider.keyOwner)
    return told.withLock { told in
      if let last = told[key],
        abs(now.milliseconds - last.milliseconds) < RefusedKeys.pauseMilliseconds
      {
        return false
      }
      told[key] = now
      return true
    }
  }
}

extension RequestPipeline {
  /// A provider's error as the app gets it: as it came, or without a provider's key. A coded one
  /// goes on decoded where something is taken out.
  func errorAnswer(
    _ status: Int, _ fields: HeaderFields, _ body: [UInt8], from provider: Provider
  ) -> HTTPAnswer {
    var fields = status >= 400 ? keyRedaction.redacted(fields) : fields
    let coding = BodyCoding(fields)
    var shown: [UInt8]
    if let text = coding.text(of: body, atMost: UnmeteredForwarding.largestAnswer) {
      shown =
        status >= 400
        ? redacted(errorBody: text, status: status, from: provider) : keyRedaction.redacted(text)
      if coding != .plain {
        if shown == text { shown = body } else { fields.remove(.contentEncoding) }
      }
    } else {
      // It may show a key, to those who can decode it.
      fields.remove(.contentEncoding)
      fields.remove(.contentType)
      fields.append(.contentType, constant: "application/json")
      shown =
        RefusalAnswer.undecodable(provider: provider.name)
        .httpAnswer(requestID: "\(id)").body
    }
    return HTTPAnswer(head: ResponseHead(status: status, fields: fields), body: shown)
  }

  /// A provider's error as the app gets it. A 401 is about the provider's key, as
  /// the app's was taken, so the operator is told.
  func redacted(errorBody body: [UInt8], status: Int, from provider: Provider) -> [UInt8] {
    if status == 401, gateway.refusedKeys.isDue(provider, at: gateway.clock()) {
      gateway.logger.log(.error, "provider_key_refused") { line in
        line.member("request_id", "\(id)")
        line.member("provider", provider.name)
        if let owner = provider.keyOwner { line.member("client", owner) }
      }
    }
    let beginning = Array(body.prefix(ProviderKeyRedaction.largestError))
    return keyRedaction.redacted(beginning) + body.dropFirst(beginning.count)
  }

  var keyRedaction: ProviderKeyRedaction {
    ProviderKeyRedaction(of: rules.providersWithKeys(of: clientID))
  }
}
