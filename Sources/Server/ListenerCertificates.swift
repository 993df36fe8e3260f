internal import Configuration
internal import EventLoop
internal import TLS

/// The certificates that the listeners show, and the authorities of those that they ask for; both
/// can be renewed while they serve.
struct ListenerCertificates: Sendable {
  /// Nil where plain HTTP is served.
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

  /// Reads the files again, for the connections that begin from now on; those of a listener that
  /// can't be used are left as they were. Returns what is wrong with them.
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
