import Concurrency
import Determinism
import Hardware
import Networking
import SimulatedTime
import Simulator
import StoreSite
import Testing

@testable import Yosemite

/// The actions around the reader and the gateway that no command dispatches; see ``ParityActions``.
@Suite(.simulatedTime) struct ReaderActionTests {
    /// The value that an action without a failure hands out.
    private func value<Value: Sendable>(
        of till: TestTill, _ makeAction: (@escaping @Sendable (Value) -> Void) -> CardPresentPaymentsAction
    ) async throws -> Value {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        try till.dispatcher.dispatch(makeAction { continuation.yield($0) })
        var iterator = stream.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    @Test func `support depends on the kind of reader and on the discovery method`() async throws {
        let till = try TestTill()
        #expect(
            try await value(of: till) {
                .checkDeviceSupport(readerType: .ccid, discoveryMethod: .usb, onCompletion: $0)
            })
        #expect(
            try await !value(of: till) {
                .checkDeviceSupport(readerType: .pcsc, discoveryMethod: .usb, onCompletion: $0)
            })
    }

    @Test func `a canceled discovery reports no more readers, and can be canceled again`() async throws {
        let till = try TestTill()
        let lists = Log<[CardReader]>()
        let (first, continuation) = AsyncStream.makeStream(of: Void.self)
        try await till.perform {
            .startCardReaderDiscovery(
                discoveryMethod: .usb,
                onReaderDiscovered: { list in
                    lists.add(list)
                    continuation.yield()
                }, onCompletion: $0)
        } as Void
        var iterator = first.makeAsyncIterator()
        await iterator.next()
        try await till.perform { .cancelCardReaderDiscovery(onCompletion: $0) } as Void
        let count = lists.entries.count
        try await till.perform { .cancelCardReaderDiscovery(onCompletion: $0) } as Void
        #expect(lists.entries.count == count)
    }

    @Test func `the list of connected readers is kept up to date`() async throws {
        let till = try TestTill()
        let lists = try await value(of: till) { .publishCardReaderConnections(onCompletion: $0) }
        var iterator = lists.makeAsyncIterator()
        #expect(await iterator.next() == [])
        let reader = try await till.connect()
        #expect(await iterator.next()?.map(\.id) == [reader.id])
        try await till.perform { .disconnect(onCompletion: $0) } as Void
        #expect(await iterator.next() == [])
    }

    @Test func `an observer hears of the connected readers now and at each change, until it ends`() async throws {
        let till = try TestTill()
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        let subscription: Subscription = try await till.perform {
            .observeConnectedReaders(onChange: { continuation.yield($0) }, onCompletion: $0)
        }
        var iterator = lists.makeAsyncIterator()
        #expect(await iterator.next() == [])
        let reader = try await till.connect()
        #expect(await iterator.next()?.map(\.id) == [reader.id])
        try await till.perform { .disconnect(onCompletion: $0) } as Void
        #expect(await iterator.next() == [])
        subscription.cancel()
        _ = try await till.connect()
        let later = try await value(of: till) { .publishCardReaderConnections(onCompletion: $0) }
        for await readers in later where !readers.isEmpty { break }
        continuation.finish()
        #expect(await iterator.next() == nil)
    }

    @Test func `an observer that comes late begins with the reader that is connected`() async throws {
        let till = try TestTill()
        let reader = try await till.connect()
        let (lists, continuation) = AsyncStream.makeStream(of: [CardReader].self)
        let subscription: Subscription = try await till.perform {
            .observeConnectedReaders(onChange: { continuation.yield($0) }, onCompletion: $0)
        }
        var iterator = lists.makeAsyncIterator()
        #expect(await iterator.next()?.map(\.id) == [reader.id])
        subscription.cancel()
    }

    @Test func `without a lost reader reconnection is idle, and canceling it succeeds`() async throws {
        let till = try TestTill()
        let states = try await value(of: till) { .observeCardReaderReconnection(onCompletion: $0) }
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next() == .idle)
        try await till.perform { .cancelCardReaderReconnection(onCompletion: $0) } as Void
    }

    @Test func `readers are remembered, last one first, and removed one by one or all at once`() async throws {
        let till = try TestTill { $0.remembersReaders = true }
        for id in ["a", "b", "a", "c"] {
            try await till.perform { .rememberCardReader(readerID: id, name: "Reader " + id, onCompletion: $0) } as Void
            try await till.clock.sleep(for: .seconds(1))
        }
        func remembered() async throws -> [RememberedCardReader] {
            try await till.perform { .loadRememberedCardReaders(onCompletion: $0) }
        }
        #expect(try await remembered().map(\.id) == ["c", "a", "b"])
        #expect(try await remembered().first?.name == "Reader c")
        #expect(try await till.perform { .forgetCardReaders(readerID: "a", onCompletion: $0) } == 1)
        #expect(try await till.perform { .forgetCardReaders(readerID: "x", onCompletion: $0) } == 0)
        #expect(try await till.perform { .forgetCardReaders(readerID: nil, onCompletion: $0) } == 2)
        #expect(try await remembered().isEmpty)
    }

    @Test func `the account and its extension are known after a selection`() async throws {
        let till = try TestTill(StoreSiteNetwork())
        #expect(try await value(of: till) { .selectedPaymentGatewayAccount(onCompletion: $0) } == nil)
        #expect(try await value(of: till) { .loadActivePaymentGatewayExtension(onCompletion: $0) } == nil)
        try await till.choose("woocommerce-payments")
        let account = try await value(of: till) { .selectedPaymentGatewayAccount(onCompletion: $0) }
        #expect(account?.gatewayID == "woocommerce-payments")
        #expect(try await value(of: till) { .loadActivePaymentGatewayExtension(onCompletion: $0) } == .wcpay)
    }

    @Test func `a token and a location for a reader come from the gateway in use`() async throws {
        let till = try TestTill(StoreSiteNetwork())
        let siteID = StoreSiteNetwork.siteID
        try await till.choose("woocommerce-payments")
        let token: ReaderConnectionToken = try await till.perform {
            .loadConnectionToken(siteID: siteID, onCompletion: $0)
        }
        #expect(!token.secret.isEmpty)
        let location: ReaderLocation = try await till.perform {
            .loadDefaultReaderLocation(siteID: siteID, onCompletion: $0)
        }
        #expect(location.address?.city == "New York")
    }

    @Test func `a charge is fetched only at the site of the session`() async throws {
        let till = try TestTill(StoreSiteNetwork())
        try await till.choose("woocommerce-payments")
        await #expect(throws: ActionFailure<CardPresentPaymentsError>.failed(.noStoreSite)) {
            _ =
                try await till.perform { .fetchWCPayCharge(siteID: 99, chargeID: "ch_1", onCompletion: $0) }
                as WCPayCharge
        }
    }
}
