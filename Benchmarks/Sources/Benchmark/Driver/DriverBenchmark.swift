import CCID
import Determinism
import Simulator
import SmartCard
import USB

/// Measures the time that the driver adds to an APDU, at each exchange level.
struct DriverBenchmark {
    private struct Level {
        let name: String
        let channel: CCIDCardChannel
        let command: CommandAPDU
        /// The messages that the driver sends for the command.
        let block: [UInt8]
        let card: InstantCard
    }

    private static let t0Reset: [UInt8] = [0x3B, 0x60, 0x00, 0x00]
    private static let t1Reset: [UInt8] = [0x3B, 0xE0, 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45, 0xEB]

    var rounds = 9
    var exchanges = 4000

    func run() async throws -> String {
        let levels = try await levels()
        for level in levels { try await transmit(level, exchanges / 4) }
        var driver = [Samples](repeating: Samples(), count: levels.count)
        var direct = driver
        for _ in 0..<rounds {
            for (index, level) in levels.enumerated() {
                driver[index].add(
                    1e6 * (try await seconds { try await transmit(level, exchanges) }) / Double(exchanges))
                direct[index].add(1e6 * (try await seconds { try answer(level) }) / Double(exchanges))
            }
        }
        var table = MarkdownTable("level", "through the driver, µs", "answer function alone, µs", "added, µs")
        for (index, level) in levels.enumerated() {
            table.add(
                level.name, driver[index].text(decimals: 1), direct[index].text(decimals: 2),
                (driver[index].median - direct[index].median).text(1))
        }
        return "### Microseconds that the driver adds to an APDU\n\n" + table.text
    }

    private func transmit(_ level: Level, _ count: Int) async throws {
        for _ in 0..<count {
            let response = try await level.channel.transmit(level.command)
            guard response.status == StatusWord(0x90, 0x00) else {
                throw BenchmarkError("\(level.name): the answer came back as \(response.status)")
            }
        }
    }

    /// The baseline.
    private func answer(_ level: Level) throws {
        for _ in 0..<exchanges where level.card.answer(level.block).isEmpty {
            throw BenchmarkError("\(level.name): no answer")
        }
    }

    private func levels() async throws -> [Level] {
        let read = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0x40)
        let short = [UInt8](repeating: 0x5A, count: 0x40) + [0x90, 0x00]
        let extended = try CommandAPDU(
            cla: 0x00, ins: 0xB2, p1: 0x01, p2: 0x0C, data: [UInt8](repeating: 0xA5, count: 300), expectedLength: 1024)
        let long = [UInt8](repeating: 0x5A, count: 1024) + [0x90, 0x00]
        var extendedReader = SimulatedReaderModel.extendedAPDU
        extendedReader.maximumMessageLength = 65_556
        let information = read.bytes
        let block = [0x00, 0x00, UInt8(information.count)] + information
        return [
            try await level(
                "TPDU, T=0", .tpdu, Self.t0Reset, read, block: read.bytes, InstantCard(.plain, response: short)),
            try await level(
                "TPDU, T=1", .tpdu, Self.t1Reset, read, block: block + [block.reduce(0, ^)],
                InstantCard(.t1, response: short)),
            try await level(
                "short APDU", .shortAPDU, Self.t0Reset, read, block: read.bytes, InstantCard(.plain, response: short)),
            try await level(
                "extended APDU, short command", extendedReader, Self.t0Reset, read, block: read.bytes,
                InstantCard(.plain, response: short)),
            try await level(
                "extended APDU, 300 bytes out, 1024 in", extendedReader, Self.t1Reset, extended, block: extended.bytes,
                InstantCard(.plain, response: long)),
        ]
    }

    private func level(
        _ name: String, _ model: SimulatedReaderModel, _ answerToReset: [UInt8], _ command: CommandAPDU,
        block: [UInt8], _ card: InstantCard
    ) async throws -> Level {
        var model = model
        // No device is plugged in or unplugged.
        model.hasInterruptEndpoint = false
        let descriptors = model.descriptors
        let device = USBDevice(
            bus: 1, address: 1, descriptor: descriptors.device, configuration: descriptors.configuration)
        let bus = InstantReader(device, answerToReset: answerToReset, card: card)
        let reader = try await CCIDReader.open(device, on: bus, time: VirtualTimeSource())
        return Level(name: name, channel: try await reader.powerOn(), command: command, block: block, card: card)
    }
}
