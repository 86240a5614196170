import Determinism
import Synchronization
import Testing
import USB

@testable import Simulator

struct USBIPServerTests {
    /// A server at a free port, a bus, and what the server tells.
    private final class Bench: Sendable {
        let clock: SimulationClock
        let bus: SimulatedUSBBus
        let server: USBIPServer
        private let serving: Task<Void, any Error>
        private let told = Mutex<[USBIPEvent]>([])

        init(time: any TimeSource = SystemTimeSource()) async throws {
            clock = SimulationClock(time)
            bus = SimulatedUSBBus(clock: clock)
            let events = Events()
            let server = try await USBIPServer(
                bus: bus, at: .tcp(host: "127.0.0.1", port: 0), onEvent: { events.add($0) })
            (self.server, self.events) = (server, events)
            serving = Task { try await server.serve() }
        }

        let events: Events

        func client() async throws -> USBIPClient { try await USBIPClient(server.address) }

        @discardableResult
        func plug(
            _ model: SimulatedReaderModel = .tpdu, card: (any SimulatedCard)? = nil
        ) -> SimulatedCCIDReader {
            let reader = SimulatedCCIDReader(model: model, clock: clock)
            if let card { reader.insert(card) }
            bus.plug(reader)
            return reader
        }

        /// Ends the server.
        func close() async throws {
            serving.cancel()
            try await serving.value
        }
    }

    private final class Events: Sendable {
        private let stored = Mutex<[USBIPEvent]>([])
        var values: [USBIPEvent] { stored.withLock { $0 } }
        func add(_ event: USBIPEvent) { stored.withLock { $0.append(event) } }
    }

    private static let powerOn = RawHost.message(0x62, [1, 0, 0])

    @Test func `a client imports a reader and exchanges messages with it`() async throws {
        let bench = try await Bench()
        bench.plug(card: ScriptedCard(ScriptedCard.t0))
        let client = try await bench.client()
        let (status, _) = try await client.importDevice()
        #expect(status == 0)
        let answer = try await client.exchange(Self.powerOn)
        #expect(answer == [0x80, 4, 0, 0, 0, 0, 0, 0, 0, 0] + ScriptedCard.t0)
        try await bench.close()
        #expect(try await client.isAtEnd())
    }
}
