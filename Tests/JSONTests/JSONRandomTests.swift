import Foundation
import JSON
import Randomness
import Testing

@Suite("Random texts are read like Foundation reads them")
struct JSONRandomTests {
  @Test(
    "a member that is cut out leaves all others, and nothing else",
    arguments: 0..<200 as Range<UInt64>)
  func cutting(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let text = Array(random.object(depth: 3, with: "usage").utf8)
    let root = try JSONParser().parse(text)
    let member = try #require(JSONLocatedObject(root: root)?.member("usage"))
    var edits = TextEdits()
    edits.replace(member.removal, with: "")

    var expected = try decode(text)
    expected.removeValue(forKey: "usage")
    let left = try decode(edits.applied(to: text))
    #expect(try encode(left) == encode(expected))
    #expect(Array(root.members).count == expected.count + 1)
  }

  private func decode(_ text: [UInt8]) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
  }

  private func encode(_ object: [String: Any]) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }
}

extension SplitMix64 {
  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &self)]
  }

  private mutating func space() -> String { pick(["", "", " ", "\n\t", "\r\n  "]) }

  /// An object whose keys differ, one of them `key`.
  fileprivate mutating func object(depth: Int, with key: String?) -> String {
    var keys = (0..<Int.random(in: 0...5, using: &self)).map { "k\($0)" }
    if let key { keys.insert(key, at: Int.random(in: 0...keys.count, using: &self)) }
    let members = keys.map { "\(space())\"\($0)\"\(space()):\(space())\(value(depth))\(space())" }
    return "{\(members.joined(separator: ","))}"
  }

  private mutating func value(_ depth: Int) -> String {
    let scalars = ["null", "true", "-1.5e3", "0", #""x,\"}]{[\\""#, #""\u00e9,:é""#, "\"\""]
    guard depth > 0 else { return pick(scalars) }
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return object(depth: depth - 1, with: Bool.random(using: &self) ? "usage" : nil)
    case 1:
      let elements = (0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth - 1) }
      return "[\(elements.joined(separator: space() + ","))]"
    default: return pick(scalars)
    }
  }
}
