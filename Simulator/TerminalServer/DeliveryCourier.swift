import Determinism
import Networking
import StripeTerminal

/// Sends the messages of terminals to webhook endpoints, one after another, and again when they are due.
final class DeliveryCourier: Sendable {
    private let news: AsyncStream<Void>.Continuation
    private let arrivals: AsyncStream<Void>

    /// How long an address may take to respond.
    private static let timeout: Duration = .seconds(10)
    /// The body of a response is not used.
    private static let sizeLimit = 1 << 20

    init() {
        (arrivals, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Looks for new messages.
    func wake() { news.yield() }

    /// Ends the courier after the message that is being sent.
    func stop() { news.finish() }

    /// Sends messages until the courier is stopped.
    ///
    /// - Parameters:
    ///   - terminals: the sender.
    ///   - time: the wall clock, by which messages are signed and repeated.
    ///   - network: sends the requests; nil for libcurl, which starts with the first message.
    func run(_ terminals: SimulatedTerminals, time: any TimeSource, network: (any Network)?) async {
        var network = network
        var alarm: Task<Void, Never>?
        defer { alarm?.cancel() }
        for await _ in arrivals {
            alarm?.cancel()
            var (deliveries, next) = await terminals.takeDeliveries(at: time.now())
            while !deliveries.isEmpty {
                for delivery in deliveries {
                    if network == nil { network = try? CurlNetwork() }
                    let status = await Self.send(delivery, network)
                    await terminals.record(status, of: delivery, at: time.now())
                }
                (deliveries, next) = await terminals.takeDeliveries(at: time.now())
            }
            guard let next else { continue }
            let pause = Duration.milliseconds(max(0, next.milliseconds - time.now().milliseconds))
            alarm = Task { [news] in
                do throws(CancellationError) { try await time.sleep(for: pause) } catch { return }
                news.yield()
            }
        }
    }

    /// Returns the status of the response; 0 without one.
    private static func send(_ delivery: StripeDelivery, _ network: (any Network)?) async -> Int {
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
