import CCID
import Determinism
import Dispatch
import Simulator
import Synchronization
import Testing
import USB

/// Simulated readers that the real libusb finds: they are served over USB/IP by this process, the bridge plugs them in,
/// and the driver opens them like any other. Time is real.
final class BridgeBench: Sendable {
    /// A device that is plugged in.
    struct Plugged<Simulated: SimulatedUSBDevice>: Sendable {
        let simulated: Simulated
        /// As libusb's bus shows it.
        let device: USBDevice

        func count(_ counter: USBBridge.Counter) async throws -> Int {
            try await USBBridge.count(counter, of: device.address)
        }
    }

    let clock = SimulationClock(SystemTimeSource())
    /// Where the driver finds readers.
    let bus: LibUSBBus
    private let simulatedBus: SimulatedUSBBus
    private let server: USBIPServer
    private let serving: Task<Void, Never>
    /// The ports of the simulated bus: a device gets the lowest that is free.
    private let ports = Mutex<[Int: any SimulatedUSBDevice]>([:])

    /// Runs `body` on a bench and puts everything away. What the bench and the driver had of the system must be
    /// returned then, whatever happened.
    static func run(_ body: (BridgeBench) async throws -> Void) async throws {
        let before = await resources()
        do {
            let bench = try await BridgeBench()
            do {
                try await body(bench)
            } catch {
                await bench.end()
                throw error
            }
            await bench.end()
        }
        let after = await resources(settlingTo: before)
        #expect(after == before)
    }

    /// Has everything that is made once for the whole process, at its first use.
    private static let firstUse = Task {
        if let bench = try? await BridgeBench() { await bench.end() }
        // A descriptor for each clock that something is waited for by.
        try? await Task.sleep(for: .milliseconds(20), clock: .continuous)
        try? await Task.sleep(for: .milliseconds(20), clock: .suspending)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + 0.02) { continuation.resume() }
        }
    }

    private static func resources(settlingTo expected: ProcessResources? = nil) async -> ProcessResources {
        await firstUse.value
        var resources = ProcessResources.now
        // Some other thread may be about to drop the last reference, or to end, and may have to wait for a processor.
        for _ in 0..<2_500 where expected.map({ $0 != resources }) ?? (resources.eventThreads > 0) {
            try? await Task.sleep(for: .milliseconds(2))
            resources = .now
        }
        return resources
    }

    private init() async throws {
        simulatedBus = SimulatedUSBBus(clock: clock)
        let server = try await USBIPServer(bus: simulatedBus, at: .tcp(host: "127.0.0.1", port: 0))
        self.server = server
        serving = Task { try? await server.serve() }
        bus = try LibUSBBus(time: SystemTimeSource())
    }

    private func end() async {
        let devices = ports.withLock { Array($0.values) }
        for device in devices { simulatedBus.unplug(device) }
        await until { try await self.bus.devices().isEmpty }
        serving.cancel()
        await serving.value
    }

    /// Makes a reader with `cards` in its slots and plugs it in.
    func plug(_ model: SimulatedReaderModel, _ cards: TestCard?...) async throws -> Plugged<SimulatedCCIDReader> {
        let reader = SimulatedCCIDReader(model: model, clock: clock)
        for (slot, card) in cards.enumerated() { if let card { reader.insert(card, slot: slot) } }
        return try await plug(reader)
    }

    func plug<Simulated>(_ simulated: Simulated) async throws -> Plugged<Simulated> {
        let port = ports.withLock { ports in
            let port = (1...).first { ports[$0] == nil } ?? 0
            ports[port] = simulated
            return port
        }
        simulatedBus.plug(simulated)
        guard case .tcp(_, let number) = server.address else { throw USBBridge.Refusal(description: "no port") }
        let address = try await USBBridge.plug(port: UInt16(number), busID: "\(SimulatedUSBBus.number)-\(port)")
        return Plugged(
            simulated: simulated, device: try #require(try await bus.devices().first { $0.address == address }))
    }

    /// Pulls a device out, and waits until the bus shows it no longer.
    func unplug(_ plugged: Plugged<some SimulatedUSBDevice>) async throws {
        ports.withLock { ports in ports = ports.filter { $0.value !== plugged.simulated } }
        simulatedBus.unplug(plugged.simulated)
        await until { try await !self.bus.devices().contains(plugged.device) }
    }

    func open(
        _ reader: Plugged<SimulatedCCIDReader>, _ timing: CCIDTiming = .short,
        quirks: ReaderQuirkTable = .embedded, time: any TimeSource = SystemTimeSource()
    ) async throws(CCIDError) -> CCIDReader {
        try await CCIDReader.open(reader.device, on: bus, timing: timing, quirks: quirks, time: time)
    }

    /// Waits until something is so, for half a minute at most.
    func until(
        _ location: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
    ) async {
        for _ in 0..<15_000 {
            if (try? await condition()) == true { return }
            try? await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("it never happened", sourceLocation: location)
    }
}

extension CCIDTiming {
    /// Short enough for tests in real time, and long enough for a busy machine where nothing goes wrong.
    static let short: CCIDTiming = {
        var timing = CCIDTiming()
        (timing.exchange, timing.total, timing.abort) = (.milliseconds(100), .seconds(10), .seconds(1))
        (timing.pollInterval, timing.notifiedPollInterval) = (.milliseconds(20), .milliseconds(20))
        return timing
    }()

    /// A reader's silence is noticed soon.
    static let impatient: CCIDTiming = {
        var timing = short
        (timing.command, timing.powerOn, timing.abort) = (
            .milliseconds(400), .milliseconds(400), .milliseconds(400)
        )
        return timing
    }()
}
