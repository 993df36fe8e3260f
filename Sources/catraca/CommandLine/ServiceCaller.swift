internal import Configuration
internal import EventLoop
internal import HTTP
internal import Upstream

/// Calls services on behalf of a command, from an event loop of its own.
final class ServiceCaller: Sendable {
  private let group: EventLoopGroup
  private let services: LoopBound<ServiceClient>

  init() async throws(SystemError) {
    let group = try EventLoopGroup(count: 1)
    let loop = group.loops[0]
    self.group = group
    services = await Task(executorPreference: loop) {
      LoopBound(ServiceClient(on: loop), on: loop)
    }.value
  }

  /// - Parameters:
  ///   - bearer: the credential for `Authorization`; nil to send none.
  ///   - authorities: a PEM file of authorities that are trusted besides the system's.
  ///   - patience: the longest time that the whole call may take.
  func get(
    _ url: String, bearer: Secret? = nil, authorities: String? = nil, within patience: Duration
  ) async -> Result<ServiceClient.Answer, UpstreamError> {
    var fields = HeaderFields()
    fields.append(.acceptEncoding, constant: "identity")
    fields.append(.userAgent, constant: "Catraca")
    // The configuration accepts only visible ASCII in a secret.
    if let bearer { try? fields.append(.authorization, "Bearer \(bearer.revealed())") }
    let request = UpstreamRequest(
      url: url, method: .get, fields: fields, connectTimeout: patience, idleTimeout: patience,
      certificateAuthorities: authorities)
    return await Task(executorPreference: group.loops[0]) {
      [services] () -> Result<ServiceClient.Answer, UpstreamError> in
      do throws(UpstreamError) {
        return .success(try await services.value.call(request, within: patience))
      } catch {
        return .failure(error)
      }
    }.value
  }

  /// Ends the connections and the loop.
  func close() async {
    await Task(executorPreference: group.loops[0]) { [services] in services.value.close() }.value
    group.stop()
  }
}
