/// Reads files of the configuration folder as YAML.
struct DocumentReader {
  let folder: String
  let diagnostics: DiagnosticCollector
  let secrets: SecretSources

  /// The root of a document, with its decoding context.
  typealias Document = (root: YAMLNode, context: DecodingContext)

  /// Reads a required file; if it returns nil, it has reported a mistake.
  ///
  /// - Parameter namedBy: The place that names the file, at which a failure is reported; nil for
  ///   the main file, whose failure is reported at the file itself.
  func read(_ path: String, namedBy place: (DecodingContext, YAMLMark)?) -> Document? {
    text(path, namedBy: place).flatMap(document)
  }

  /// Returns the text of a required file, as `read` does.
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

  /// Returns the text of an optional file; nil if it is missing, or if a mistake was reported.
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

  /// Returns the document in a text; if nil, it has reported a mistake.
  func document(_ source: SourceText) -> Document? {
    guard let root = YAMLParser.parse(source, diagnostics) else { return nil }
    let context = DecodingContext(
      source: source, diagnostics: diagnostics, folder: folder, secrets: secrets)
    return (root, context)
  }
}
