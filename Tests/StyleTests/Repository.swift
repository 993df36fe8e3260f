import FoundationEssentials

/// The files of this repository, read once for all tests.
struct Repository: Sendable {
  let root: String
  /// Everything in Swift under `Sources` and `Tests`.
  let swiftFiles: [SourceFile]
  /// The C and C++ of `Sources`, and the Python of `Tests`.
  let otherFiles: [SourceFile]
  /// README, the articles of the manual and the texts in Markdown of `Tests`.
  let articles: [SourceFile]

  static let shared = Repository(root: rootFolder)

  private static var rootFolder: String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/")
  }

  init(root: String) {
    self.root = root
    let paths = ["Sources", "Tests"].flatMap { folder in
      Repository.names(under: "\(root)/\(folder)").map { "\(folder)/\($0)" }
    }
    func read(_ endings: [String]) -> [SourceFile] {
      paths.filter { path in endings.contains { path.hasSuffix($0) } }
        .compactMap { SourceFile(path: $0, text: Repository.text(of: "\(root)/\($0)")) }
    }
    swiftFiles = read([".swift"])
    otherFiles = read([".c", ".cpp", ".h", ".py"])
    let readme = SourceFile(path: "README.md", text: Repository.text(of: "\(root)/README.md"))
    articles = [readme] + read([".md"])
  }

  /// The files of the program, without its tests.
  var sources: [SourceFile] { swiftFiles.filter { $0.path.hasPrefix("Sources/") } }

  /// The text of a file of the repository; empty where there is none.
  func text(of path: String) -> String { Repository.text(of: "\(root)/\(path)") }

  /// The names in a folder of the repository, sorted.
  func fileNames(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted()
  }

  /// Whether the repository has a file or folder at this path.
  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(root)/\(path)") }

  /// The names in the repository's own folder.
  func topLevelNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root).sorted()
  }

  private static func names(under folder: String) -> [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: folder).sorted()) ?? []
  }

  private static func text(of path: String) -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
