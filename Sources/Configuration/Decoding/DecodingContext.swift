/// What the decoding of one file needs besides its nodes.
///
/// A class, because every section carries it along, of which a registry has hundreds of thousands.
final class DecodingContext {
  let source: SourceText
  let diagnostics: DiagnosticCollector
  /// The configuration folder as the operator gave it; relative paths begin here.
  let folder: String
  let secrets: SecretSources
  /// By the sections that are being read, those of the innermost at the end.
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

  /// `path` from the configuration folder, unless it is absolute.
  func resolve(_ path: String) -> String {
    resolved(path, in: folder)
  }
}

/// `path` from `folder`, unless it is absolute.
func resolved(_ path: String, in folder: String) -> String {
  if path.hasPrefix("/") || folder.isEmpty || folder == "." { return path }
  return folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
}
