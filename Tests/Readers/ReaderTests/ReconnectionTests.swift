import Determinism
import Hardware
import Payments
import SimulatedTime
import Simulator
import Testing
import USB

extension OverLibUSB {
    /// The whole service, which gets its reader back.
    @Suite struct ReconnectionTests {
        private typealias States = AsyncStream<CardReaderReconnectionState>.AsyncIterator

        /// Through the kernel's messages and libusb a round takes some 60 ms, which leaves no time for a thousand.
        private static let rounds = 40

        /// Reads on until a state is wanted.
        private func wait(
            for states: inout States, isolation: isolated (any Actor)? = #isolation,
            until isWanted: (CardReaderReconnectionState) -> Bool
        ) async throws {
            while let state = await states.next(isolation: isolation) {
                if case .failed(_, let failure) = state { Issue.record("\(failure)") }
                if isWanted(state) { return }
            }
            Issue.record("the states have ended")
        }

        /// What the driver holds. The sockets are this test's own: the far ends of the readers.
        private var held: ProcessResources {
            var held = ProcessResources.now
            held.files["socket:"] = nil
            // The bus may be reading its list at this moment.
            held.files = held.files.filter { !$0.key.contains("/sys/") }
            return held
        }

        private func isBack(_ state: CardReaderReconnectionState) -> Bool {
            if case .succeeded = state { true } else { false }
        }

        @Test func `a reader that is plugged in again is open in less than half a second, and leaves nothing behind`()
            async throws
        {
            try await BridgeBench.run { bench in
                var plugged = try await bench.plug(.shortAPDU)
                let shop = try Shop(at: plugged.simulated, bench, reconnection: ReconnectionPolicy())
                try await shop.connect()
                await shop.service.cancelDiscovery()
                var states = await shop.service.reconnectionStates.makeAsyncIterator()
                let time = SystemTimeSource()
                var (times, threads, settled) = ([Duration](), [Int](), held)
                for round in 0..<Self.rounds {
                    try await bench.unplug(plugged)
                    try await wait(for: &states, until: \.isReconnecting)
                    let start = time.reading()
                    plugged = try await bench.plug(plugged.simulated)
                    try await wait(for: &states, until: isBack)
                    times.append(time.elapsed(since: start))
                    threads.append(ProcessResources.threads)
                    if round == 2 { settled = held }
                }
                // On a busy machine most rounds may have waited for a processor; without messages, none would be
                // quick.
                #expect(times.sorted()[times.count / 4] < .milliseconds(500), "\(times)")
                #expect(try await shop.pay().status == .requiresCapture)
                #expect(held == settled)
                // Threads that wait for work come and go; one a round would be as many as rounds.
                let (early, late) = (threads.prefix(10).max() ?? 0, threads.suffix(10).max() ?? 0)
                #expect(late < early + 8, "\(threads)")
                try await shop.close()
            }
        }

        @Test(.simulatedTime) func `a thousand reconnections on the simulated bus leave nothing behind`() async throws {
            let clock = SimulationClock()
            let bus = SimulatedUSBBus(clock: clock)
            let reader = SimulatedCCIDReader(model: .shortAPDU, clock: clock)
            bus.plug(reader)
            let shop = try Shop(
                at: reader, on: USBCardReaderSource(bus, time: clock), clock: clock,
                reconnection: ReconnectionPolicy())
            try await shop.connect()
            await shop.service.cancelDiscovery()
            var states = await shop.service.reconnectionStates.makeAsyncIterator()
            var (threads, settled) = ([Int](), ProcessResources.now)
            for round in 0..<1000 {
                bus.unplug(reader)
                try await wait(for: &states, until: \.isReconnecting)
                bus.plug(reader)
                try await wait(for: &states, until: isBack)
                if round % 100 == 99 { threads.append(ProcessResources.threads) }
                if round == 9 { settled = .now }
            }
            #expect(ProcessResources.now == settled)
            #expect((threads.last ?? 0) < (threads.first ?? 0) + 8, "\(threads)")
            #expect(try await shop.pay().status == .requiresCapture)
            try await shop.close()
        }

        @Test func `a reader that is plugged in while a payment waits for it takes the payment`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                let shop = try Shop(at: plugged.simulated, bench, reconnection: ReconnectionPolicy())
                try await shop.connect()
                var states = await shop.service.reconnectionStates.makeAsyncIterator()
                try await bench.unplug(plugged)
                try await wait(for: &states, until: \.isReconnecting)
                async let payment = shop.pay()
                _ = try await bench.plug(plugged.simulated)
                #expect(try await payment.status == .requiresCapture)
                try await shop.close()
            }
        }
    }
}
