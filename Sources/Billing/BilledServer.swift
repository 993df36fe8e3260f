public import Configuration

/// The parts of the server that the collection of charges uses.
public protocol BilledServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force.
  var clients: ClientRegistry { get }

  /// Signals that there may be alerts to deliver.
  func alertsAreDue()
}
