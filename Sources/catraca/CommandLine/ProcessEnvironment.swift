internal import Glibc

/// The environment that this process was started with.
enum ProcessEnvironment {
  static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if let sign = text.firstIndex(of: "=") {
        variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
      }
      next += 1
    }
    return variables
  }
}
