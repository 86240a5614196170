import Networking
import StoreSite

/// Sends the messages of a site to its webhooks, one after another, each once.
final class WebhookCourier: Sendable {
    private let news: AsyncStream<Void>.Continuation
    private let running: Task<Void, Never>

    /// - Parameters:
    ///   - site: the sender.
    ///   - network: sends the requests; nil for libcurl, which starts with the first message.
    init(_ site: StoreSite, network: (any Network)?) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        news = continuation
        running = Task {
            var network = network
            for await _ in stream {
                for delivery in site.takeDeliveries() {
                    if network == nil { network = try? CurlNetwork() }
                    let status = await network?.post(
                        delivery.body, to: delivery.address, headers: delivery.headers.map { ($0.name, $0.value) })
                    site.record(status ?? 0, of: delivery)
                }
            }
        }
    }

    /// Looks for new messages.
    func wake() { news.yield() }

    /// Ends the courier. A message that is being sent is given up.
    func stop() async {
        news.finish()
        running.cancel()
        await running.value
    }
}
