import CCID
import Determinism
import Dispatch
import Foundation
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
        serving = Task {
            // Without the server no device can be plugged in any more.
            do { try await server.serve() } catch { Issue.record(error) }
        }
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
    /// For tests in real time: short where a test waits for the time to pass, and long where nothing goes wrong. On a
    /// machine with eight busy loops, a single answer through bridge and server took more than a second.
    static let short: CCIDTiming = {
        var timing = CCIDTiming()
        (timing.exchange, timing.total, timing.abort) = (.milliseconds(100), .seconds(30), .seconds(30))
        (timing.pollInterval, timing.notifiedPollInterval) = (.milliseconds(20), .milliseconds(20))
        return timing
    }()

    /// A reader's silence is noticed soon, when it does not answer a command.
    static let impatient: CCIDTiming = {
        var timing = short
        timing.command = .seconds(3)
        return timing
    }()

    /// The same, also when it does not answer an abort.
    static let impatientWithAborts: CCIDTiming = {
        var timing = impatient
        timing.abort = .seconds(3)
        return timing
    }()
}

/// The process that started this one and shows it USB devices: Tests/Mock/USBIPBridge.c, which lists the orders.
enum USBBridge {
    /// The counters of a device, in the order of its output.
    enum Counter: Int { case claims, releases, detaches, attaches, clearedHalts, resets, transfers, files, held }

    /// What an order is answered that does not begin with `ok`.
    struct Refusal: Error, CustomStringConvertible { var description: String }

    static var isPresent: Bool { path != nil }

    private static var path: String? { ProcessInfo.processInfo.environment["CARDPRESENT_USB_BRIDGE"] }
    private static let queue = DispatchQueue(label: "usb-bridge")

    /// Plugs in a device that is on a server of this machine.
    ///
    /// - Returns: its address.
    static func plug(port: UInt16, busID: String) async throws -> UInt8 {
        let answer = try await order("plug", "127.0.0.1", "\(port)", busID)
        return try #require(answer.first.flatMap { UInt8($0) })
    }

    /// A kernel driver has the device's first interface; nil for none.
    static func setDriver(_ name: String?, of address: UInt8) async throws {
        _ = try await order("driver", "\(address)", name ?? "-")
    }

    /// Another program has the device's first interface.
    static func setTaken(_ isTaken: Bool, _ address: UInt8) async throws {
        _ = try await order("taken", "\(address)", isTaken ? "yes" : "no")
    }

    /// The next claim fails: another program was faster.
    static func refuseClaim(_ address: UInt8) async throws { _ = try await order("refuse", "\(address)") }

    /// The next transfer on an endpoint never ends. The default endpoint is 0 for requests to the device, 80 for those
    /// that ask it something.
    static func hold(_ endpoint: UInt8, of address: UInt8) async throws {
        _ = try await order("hold", "\(address)", String(endpoint, radix: 16))
    }

    /// The next transfer on an endpoint fails.
    static func fail(_ endpoint: UInt8, of address: UInt8, with code: Int32) async throws {
        _ = try await order("fail", "\(address)", String(endpoint, radix: 16), "\(code)")
    }

    /// The next transfer on an endpoint is not taken at all.
    static func deny(_ endpoint: UInt8, of address: UInt8, with code: Int32) async throws {
        _ = try await order("deny", "\(address)", String(endpoint, radix: 16), "\(code)")
    }

    /// The machine sleeps, and wakes up with the device still in place: what was under way has ended as if it were
    /// gone.
    static func suspend(_ address: UInt8) async throws { _ = try await order("suspend", "\(address)") }

    /// The next transfer on an endpoint carries so many bytes and no more.
    static func shorten(_ endpoint: UInt8, of address: UInt8, to count: Int) async throws {
        _ = try await order("shorten", "\(address)", String(endpoint, radix: 16), "\(count)")
    }

    static func count(_ counter: Counter, of address: UInt8) async throws -> Int {
        let counters = try await order("counters", "\(address)").compactMap { Int($0) }
        return try #require(counters.indices.contains(counter.rawValue) ? counters[counter.rawValue] : nil)
    }

    private static func order(_ words: String...) async throws -> [Substring] {
        let path = try #require(path)
        let line = words.joined(separator: " ")
        let answer = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: exchange(line, at: path)) }
        }
        let parts = answer.split { $0 == " " || $0 == "\n" }
        guard parts.first == "ok" else { throw Refusal(description: "\(line): \(answer)") }
        return Array(parts.dropFirst())
    }

    /// Sends one line, and gives the line that comes back.
    private static func exchange(_ line: String, at path: String) -> String {
        let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let length = socklen_t(MemoryLayout.size(ofValue: address))
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, length) == 0 }
        }
        guard isConnected, send(connection, line, line.utf8.count, 0) == line.utf8.count else { return "no bridge" }
        // An order that the bridge does not obey fails, and names itself, long before the limit of the whole run.
        var answer = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        guard poll(&answer, 1, 60_000) > 0 else { return "no answer" }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(connection, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Runs ``OverLibUSB`` in a process that sees the bridge's devices.
@Suite(.enabled(if: !USBBridge.isPresent)) struct USBBridgeRun {
    @Test func `the driver works with readers behind the real libusb`() async throws {
        let missing =
            await run("pkg-config --exists umockdev-1.0 && command -v umockdev-wrapper pkg-config").status != 0
        try #require(!missing, "umockdev is missing: apt-get install umockdev libumockdev-dev pkg-config")

        let directory = FileManager.default.temporaryDirectory.path + "/usb-bridge-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Support/Mock").standardizedFileURL.path
        let compiler = await run(
            "$(command -v cc || command -v clang) -o '\(directory)/bridge' '\(sources)'/*.c "
                + "$(pkg-config --cflags --libs umockdev-1.0)")
        try #require(compiler.status == 0, "\(compiler.output)")

        // This very program, which must not look for the reason of a crash with the preloaded library in its way.
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        // The limit only ends a run that hangs. Beside eight busy loops the tests take two minutes instead of twenty
        // seconds.
        let result = await run(
            "NO_COLOR=1 SWIFT_BACKTRACE=enable=no timeout -k 5 600 umockdev-wrapper '\(directory)/bridge' '\(tests)' "
                + "--testing-library swift-testing --filter ReaderTests.OverLibUSB")
        #expect(result.status == 0, "\(Self.whatFailed(result.output))")
        // A filter that finds no test is a success, too.
        #expect(result.output.contains("Suite OverLibUSB passed"), "\(Self.whatFailed(result.output))")
    }

    /// The lines of the output that tell of failures, with their details, and the last ones: a test that hangs is the
    /// last that started.
    private static func whatFailed(_ output: String) -> String {
        let lines = output.split(separator: "\n").map { $0.prefix(300) }
        let failures = lines.indices.filter { lines[$0].hasPrefix("✘") }.flatMap { first in
            [lines[first]] + lines[(first + 1)...].prefix(6).prefix { line in !"✘✔◇".contains(line.prefix(1)) }
        }
        return (failures + lines.suffix(8)).joined(separator: "\n")
    }

    private func run(_ command: String) async -> (status: Int32, output: String) {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                guard let pipe = popen("{ \(command) ; } 2>&1", "r") else {
                    continuation.resume(returning: (-1, "popen failed"))
                    return
                }
                var output: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4096)
                while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { output += chunk.prefix(count) }
                continuation.resume(returning: (pclose(pipe), String(decoding: output, as: UTF8.self)))
            }
        }
    }
}
