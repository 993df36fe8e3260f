internal import Glibc

/// The width and the colors of an output stream.
struct OutputStyle: Hashable, Sendable {
  let isTerminal: Bool
  let hasColor: Bool
  /// The width in columns; nil if nothing limits a line.
  let width: Int?

  /// A file or a pipe: no colour, any width.
  static let plain = OutputStyle(isTerminal: false, hasColor: false, width: nil)

  init(isTerminal: Bool, hasColor: Bool, width: Int?) {
    self.isTerminal = isTerminal
    self.hasColor = hasColor
    self.width = width
  }

  /// A terminal's columns, unless `COLUMNS` says otherwise; no colour where `NO_COLOR` is set to
  /// anything, or the terminal is a dumb one.
  static func ofDescriptor(
    _ descriptor: CInt, _ environment: [String: String]
  ) -> OutputStyle {
    guard isatty(descriptor) == 1 else { return .plain }
    let noColor = environment["NO_COLOR"] ?? ""
    return OutputStyle(
      isTerminal: true, hasColor: noColor.isEmpty && environment["TERM"] != "dumb",
      width: environment["COLUMNS"].flatMap { width($0) } ?? columns(of: descriptor))
  }

  func bold(_ text: String) -> String {
    hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// Nil for a number that is no terminal's.
  private static func width(_ text: String) -> Int? {
    Int(text).flatMap { (1...Int(UInt16.max)).contains($0) ? $0 : nil }
  }

  private static func columns(of descriptor: CInt) -> Int? {
    var size = winsize()
    let status = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return status == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }
}
