import Amounts
import Determinism
import EMV
import Hardware
import Sessions
import SmartCard

/// A till that is nothing but a reader service: what somebody else may have built.
struct Counter: Sendable {
    let service: LocalCardReaderService

    /// Opens it in a shop, with the reader connected.
    init(in shop: SimulatedShop) async throws {
        service = LocalCardReaderService(
            sources: [USBCardReaderSource(shop.bus, time: shop.time)], host: shop.host,
            terminal: { shop.terminal(for: $0) }, cardholder: shop.cardholder, time: shop.time,
            random: shop.random.stream("counter"), trace: { shop.note($0) })
        await shop.follow(service)
        try await service.start(.usb)
        var lists = await service.discoveredReaders.makeAsyncIterator()
        guard let reader = await lists.next()?.first else { throw CounterError.noReader }
        _ = try await service.connect(reader)
    }

    @discardableResult
    func pay(_ amount: String = "12.50", number: UInt32 = 1) async throws -> PaymentIntent {
        try await service.capturePayment(
            PaymentIntentParameters(
                key: IdempotencyKey(rawValue: "sale-\(number)"), stan: number,
                amount: try Money(amount, currency: .usDollar))
        ) { _ in
        }
    }
}

enum CounterError: Error { case noReader }
