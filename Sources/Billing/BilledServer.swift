public import Configuration

/// What collecting charges needs of the server that it is a part of.
public protocol BilledServer: Sendable {
  /// The settings in force.
  var settings: Settings { get }
  /// All clients in force.
  var clients: ClientRegistry { get }

  /// Says that there may be alerts to deliver.
  func alertsAreDue()
}
