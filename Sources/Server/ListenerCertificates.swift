internal import Configuration
internal import EventLoop
internal import TLS

/// The listeners' certificates, and the authorities that their clients' certificates need.
///
/// A reload renews them while the listeners serve.
struct ListenerCertificates: Sendable {
  /// Nil if the listener serves plain HTTP.
  let proxy: Lock<TLSContext>?
  let admin: Lock<TLSContext>?

  init(_ settings: Settings) throws(TLSError) {
    proxy = try settings.proxy.tls.map { files throws(TLSError) in
      Lock(try ListenerCertificates.context(files))
    }
    admin = try settings.admin.tls.map { files throws(TLSError) in
      Lock(try ListenerCertificates.context(files))
    }
  }

  /// Reads the files again, for connections that begin from now on.
  ///
  /// - Returns: The errors of files that can't be used. Their listeners keep the old certificates.
  func renew(_ settings: Settings) -> [TLSError] {
    [(proxy, settings.proxy.tls), (admin, settings.admin.tls)].compactMap { certificate, files in
      guard let certificate, let files else { return nil }
      do throws(TLSError) {
        let renewed = try ListenerCertificates.context(files)
        certificate.withLock { $0 = renewed }
        return nil
      } catch {
        return error
      }
    }
  }

  private static func context(_ files: TLSFiles) throws(TLSError) -> TLSContext {
    try TLSContext(
      certificateFile: files.certificate, keyFile: files.key,
      clientAuthoritiesFile: files.clientAuthorities)
  }
}
