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
    text(path, namedBy: place).flatMap(document)
  }

  /// The text of a file that must be there; as `read`.
  func text(_ path: String, namedBy place: (DecodingContext, YAMLMark)?) -> SourceText? {
    let fullPath = resolved(path, in: folder)
    do throws(FileError) {
      return try text(fullPath)
    } catch {
      if let (context, mark) = place {
        context.mistake(mark, "\(fullPath): \(error)")
      } else {
        diagnostics.mistake(SourcePosition(file: fullPath, line: 1, column: 1), "\(error)")
      }
      return nil
    }
  }

  /// The text of a file that may be missing; on nil it is, or a mistake is reported.
  func textIfPresent(_ path: String) -> SourceText? {
    let fullPath = resolved(path, in: folder)
    do throws(FileError) {
      return try text(fullPath)
    } catch {
      if error != .missing {
        diagnostics.mistake(SourcePosition(file: fullPath, line: 1, column: 1), "\(error)")
      }
      return nil
    }
  }

  private func text(_ fullPath: String) throws(FileError) -> SourceText {
    let bytes = try secrets.files.readDocument(fullPath, atMost: ConfigurationLoader.largestFile)
    return SourceText(path: fullPath, bytes: bytes)
  }

  /// The document in a text; on nil a mistake is reported.
  func document(_ source: SourceText) -> Document? {
    guard let root = YAMLParser.parse(source, diagnostics) else { return nil }
    let context = DecodingContext(
      source: source, diagnostics: diagnostics, folder: folder, secrets: secrets)
    return (root, context)
  }
}
