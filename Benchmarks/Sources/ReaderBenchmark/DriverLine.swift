import CCID
import Determinism
import Glibc
import SmartCard
import USB

/// The card through this project's driver, in this process.
struct DriverLine: CardLine {
    private let reader: CCIDReader
    private let channel: CCIDCardChannel

    /// The first reader on the bus.
    static func open() async throws -> DriverLine {
        let bus = try LibUSBBus()
        guard let device = try await bus.devices().first(where: { (try? CCIDInterface.all(in: $0)) != nil }) else {
            throw ReaderBenchmarkError("no reader on the USB bus")
        }
        let reader = try await CCIDReader.open(device, on: bus, time: SystemTimeSource())
        return DriverLine(reader: reader, channel: try await reader.powerOn())
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        try await channel.transmit(CommandAPDU(bytes: command)).bytes
    }

    func processorSeconds() -> Double { Processor.seconds }

    func close() async { await reader.close() }
}
