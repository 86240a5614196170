import Determinism
import Networking
import NexoTerminal
import StripeTerminal

/// A message that a terminal sends with POST.
protocol PostedDelivery: Sendable {
    var address: String { get }
    var body: [UInt8] { get }
    /// The header fields.
    var fields: [(name: String, value: String)] { get }
}

/// Terminals that send messages to addresses of tills.
protocol DeliverySource: Sendable {
    associatedtype Delivery: PostedDelivery

    /// Takes the messages that are due on the wall clock, and says when the next one is.
    func takeDeliveries(at wall: Timestamp) async -> (deliveries: [Delivery], next: Timestamp?)
    /// Says with which status of HTTP an address answered; 0 without an answer.
    func record(_ status: Int, of delivery: Delivery, at wall: Timestamp) async
}

extension StripeDelivery: PostedDelivery {
    var fields: [(name: String, value: String)] { headers.map { ($0.name, $0.value) } }
}

extension NexoDelivery: PostedDelivery {
    var fields: [(name: String, value: String)] { [("Content-Type", "application/json")] }
}

/// Sends the messages of terminals to addresses of tills, one after another, and again when they are due.
final class DeliveryCourier: Sendable {
    private let news: AsyncStream<Void>.Continuation
    private let arrivals: AsyncStream<Void>

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
    func run(_ terminals: some DeliverySource, time: any TimeSource, network: (any Network)?) async {
        var network = network
        var alarm: Task<Void, Never>?
        defer { alarm?.cancel() }
        for await _ in arrivals {
            alarm?.cancel()
            var (deliveries, next) = await terminals.takeDeliveries(at: time.now())
            while !deliveries.isEmpty {
                for delivery in deliveries {
                    if network == nil { network = try? CurlNetwork() }
                    let status =
                        await network?.post(delivery.body, to: delivery.address, headers: delivery.fields) ?? 0
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
}
