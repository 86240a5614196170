import Networking
import StoreSite

/// Sends the messages of a site to its webhooks, one after another, each once.
final class WebhookCourier: Sendable {
    private let news: AsyncStream<Void>.Continuation
    private let running: Task<Void, Never>

    /// How long an address may take to respond.
    private static let timeout: Duration = .seconds(10)
    /// The body of a response is not used.
    private static let sizeLimit = 1 << 20

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
                    site.record(await Self.send(delivery, network), of: delivery)
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

    /// Returns the status of the response; 0 without one.
    private static func send(_ delivery: WebhookDelivery, _ network: (any Network)?) async -> Int {
        var headers = HTTPHeaders()
        for header in delivery.headers { headers.add(header.name, header.value) }
        do throws(WebAddressError) {
            let request = HTTPRequest(
                method: .post, address: try WebAddress(delivery.address), headers: headers, body: delivery.body,
                timeout: timeout, sizeLimit: sizeLimit, isRepeatable: false)
            return (try? await network?.response(for: request))?.status ?? 0
        } catch {
            return 0
        }
    }
}
