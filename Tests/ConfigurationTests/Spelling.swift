/// The ways in which a text may write a key besides its plain bytes.
enum Spelling {
  static func all(of key: String) -> [[UInt8]] {
    let bytes = Array(key.utf8)
    let json = Array(key.utf8.map { "\\u00" + String($0, radix: 16) }.joined().utf8)
    let url = Array(key.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined().utf8)
    let mixed = Array("\\u0073k%2d".utf8) + bytes.dropFirst(3)
    let late = Array(bytes.prefix(10)) + url.dropFirst(30)
    let wide: [UInt8] = bytes.flatMap { byte in [byte, UInt8(0)] }
    return [json, url, mixed, late, wide, [0] + wide] + base64(bytes)
  }

  /// Base64 of texts in which the key begins at different places.
  private static func base64(_ key: [UInt8]) -> [[UInt8]] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return (0..<3).map { place in
      let text = key.dropFirst(place)
      let bits = text.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
      return stride(from: 0, to: bits.count - 5, by: 6).map { start in
        alphabet[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })]
      }
    }
  }
}
