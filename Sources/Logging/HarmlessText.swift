/// Makes text from outside safe to show to people.
public enum HarmlessText {
  /// The text with control characters written out, for example `\u{1B}`. Raw, they could control a
  /// terminal, break a line of mail, or turn the direction of writing.
  public static func escaping(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in
      isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  /// C0, DEL, C1, the separators of lines and paragraphs, and the marks that turn the direction of
  /// writing.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
