internal import Alerts
internal import Configuration
internal import EventLoop

/// Tells of differences through every channel of alerts, once.
enum DifferenceAlert {
  /// What became of it, a line a channel.
  static func send(
    _ sentence: String, by settings: AlertSettings
  ) async throws(CommandError) -> [String] {
    let group: EventLoopGroup
    do {
      group = try EventLoopGroup(count: 1)
    } catch {
      throw .failed("reconcile: \(error)")
    }
    defer { group.stop() }
    let queue = await AlertQueue(on: group.loops[0])
    var lines: [String] = []
    for channel in settings.channelNames {
      let outcome = await queue.tell(ofDifference: sentence, through: channel, of: settings)
      guard let outcome else { continue }
      lines.append(
        "reconcile: alert \(channel) \(outcome.isDelivered ? "delivered" : "failed"): "
          + outcome.detail)
    }
    await queue.close()
    return lines.isEmpty ? ["reconcile: alerts has no channel: nobody was told"] : lines
  }
}
