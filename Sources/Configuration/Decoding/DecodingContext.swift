/// The context for decoding one file.
///
/// It is a class, because each of a registry's hundreds of thousands of sections carries it.
final class DecodingContext {
  let source: SourceText
  let diagnostics: DiagnosticCollector
  /// The configuration folder as the operator gave it. Relative paths start here.
  let folder: String
  let secrets: SecretSources
  /// The keys requested by the sections being read; the innermost section's keys are last.
  var askedKeys: [String] = []

  init(
    source: SourceText, diagnostics: DiagnosticCollector, folder: String, secrets: SecretSources
  ) {
    self.source = source
    self.diagnostics = diagnostics
    self.folder = folder
    self.secrets = secrets
  }

  func mistake(_ mark: YAMLMark, _ message: @autoclosure () -> String) {
    diagnostics.mistake(source.position(of: mark), message())
  }

  func warning(_ mark: YAMLMark, _ message: @autoclosure () -> String) {
    diagnostics.warning(source.position(of: mark), message())
  }

  /// Returns `path` relative to the configuration folder, unless it is absolute.
  func resolve(_ path: String) -> String {
    resolved(path, in: folder)
  }
}

/// Returns `path` relative to `folder`, unless it is absolute.
func resolved(_ path: String, in folder: String) -> String {
  if path.hasPrefix("/") || folder.isEmpty || folder == "." { return path }
  return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
}
