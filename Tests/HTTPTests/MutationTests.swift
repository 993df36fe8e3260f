import HTTP
import Testing

/// A small generator whose runs can be repeated (xorshift64).
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// Damaged input must never trap, and never mean two things.
@Suite struct MutationTests {
  private static let rounds = 300
  /// Bytes that the grammars treat in a special way, and some that they don't.
  private static let interesting = Array("\r\n :;,?#*/0f\tA\u{0}\u{7F}é".utf8)

  private func mutate(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      let byte = Self.interesting.randomElement(using: &random)!
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[index] = byte
      case 1: bytes.insert(byte, at: index)
      default: bytes.remove(at: index)
      }
    }
    return bytes
  }

  private func cuts(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
    let first = Int.random(in: 0...bytes.count, using: &random)
    let second = Int.random(in: first...bytes.count, using: &random)
    return [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
  }

  @Test(
    "A damaged head gives one result however it is cut", arguments: 1...4 as ClosedRange<UInt64>)
  func heads(seed: UInt64) {
    var random = SeededGenerator(state: seed)
    let original = Array((get("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n")).utf8)
    for _ in 0..<Self.rounds {
      let bytes = mutate(original, &random)
      #expect(parse(cuts(bytes, &random)) == parse([bytes]), "\(bytes)")
    }
  }

  @Test(
    "A damaged body gives one result however it is cut", arguments: 1...4 as ClosedRange<UInt64>)
  func bodies(seed: UInt64) {
    var random = SeededGenerator(state: seed)
    let original = Array(
      "5;x\r\nhello\r\n1f\r\n0123456789abcdef0123456789abcde\r\n0\r\nA: b\r\n\r\n".utf8)
    for _ in 0..<Self.rounds {
      let bytes = mutate(original, &random)
      #expect(content(cuts(bytes, &random)) == content([bytes]), "\(bytes)")
    }
  }

  /// The content up to an error, then the error's text or whether the body was whole.
  private func content(_ reads: [[UInt8]]) -> [String] {
    var decoder = ChunkedDecoder()
    var content: [UInt8] = []
    do throws(HTTPError) {
      for read in reads { _ = try decoder.decode(read.span, into: &content) }
      return ["\(content)", "\(decoder.isFinished)"]
    } catch {
      return ["\(content)", "\(error)"]
    }
  }
}
