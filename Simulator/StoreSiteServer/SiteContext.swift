internal import Hummingbird
internal import NIOCore

/// What is known of a request beside itself: the connection that it came on.
struct SiteContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }

    var isFromLoopback: Bool {
        guard let address = channel.remoteAddress?.ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
