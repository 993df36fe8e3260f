/// Reads files of the configuration folder as YAML.
struct DocumentReader {
  let folder: String
  let diagnostics: DiagnosticCollector
  let secrets: SecretSources

  /// The root of a document, with what decoding it needs.
  typealias Document = (root: YAMLNode, context: DecodingContext)

  /// Reads a file that must be there; on nil a mistake is reported.
  ///
  /// - Parameter namedBy: The place that names the file, where the mistake belongs if it can't
  ///   be read; nil for the main file, which is its own place.
  func read(_ path: String, namedBy place: (DecodingContext, YAMLMark)?) -> Document? {
    let fullPath = resolved(path, in: folder)
    do throws(FileError) {
      return parse(try read(fullPath), from: fullPath)
    } catch {
      if let (context, mark) = place {
        context.mistake(mark, "\(fullPath): \(error)")
      } else {
        diagnostics.mistake(SourcePosition(file: fullPath, line: 1, column: 1), "\(error)")
      }
      return nil
    }
  }

  /// Reads a file that may be missing; on nil it is, or a mistake is reported.
  func readIfPresent(_ path: String) -> Document? {
    let fullPath = resolved(path, in: folder)
    do throws(FileError) {
      return parse(try read(fullPath), from: fullPath)
    } catch {
      if error != .missing {
        diagnostics.mistake(SourcePosition(file: fullPath, line: 1, column: 1), "\(error)")
      }
      return nil
    }
  }

  private func read(_ fullPath: String) throws(FileError) -> [UInt8] {
    try secrets.files.read(fullPath, atMost: ConfigurationLoader.largestFile)
  }

  private func parse(_ bytes: [UInt8], from fullPath: String) -> Document? {
    let source = SourceText(path: fullPath, bytes: bytes)
    guard let root = YAMLParser.parse(source, diagnostics) else { return nil }
    let context = DecodingContext(
      source: source, diagnostics: diagnostics, folder: folder, secrets: secrets)
    return (root, context)
  }
}
