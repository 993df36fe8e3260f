/// What another connection has sent to a channel.
struct Notification: Hashable {
  let channel: String
  let payload: String
}
