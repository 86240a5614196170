import CCID
import Determinism
import Simulator
import SmartCard
import Testing
import USB

/// The driver on a reader that misbehaves, in a world with a clock of its own.
struct QuirkBench {
    let clock = SimulationClock()
    let bus: SimulatedUSBBus
    let simulated: SimulatedCCIDReader
    let device: USBDevice

    init(_ model: SimulatedReaderModel, card: [UInt8]? = QuirkCard.t0) {
        bus = SimulatedUSBBus(clock: clock)
        simulated = SimulatedCCIDReader(model: model, clock: clock)
        if let card { simulated.insert(QuirkCard(card)) }
        device = bus.plug(simulated)
    }

    func open(
        _ quirks: ReaderQuirkTable, timing: CCIDTiming = CCIDTiming()
    ) async throws(CCIDError) -> CCIDReader {
        try await CCIDReader.open(device, on: bus, timing: timing, quirks: quirks, time: clock)
    }

    /// Opens the reader, powers the card and sends it a command.
    func exchange(
        _ command: CommandAPDU, _ quirks: ReaderQuirkTable, timing: CCIDTiming = CCIDTiming()
    ) async throws -> ResponseAPDU {
        let reader = try await open(quirks, timing: timing)
        do {
            let response = try await reader.powerOn().transmit(command)
            await reader.close()
            return response
        } catch {
            await reader.close()
            throw error
        }
    }

    /// Types this PIN on the reader's keys whenever it asks.
    func type(_ digits: [UInt8]) {
        simulated.onPINRequest { [clock, simulated] _ in
            for (index, digit) in digits.enumerated() {
                clock.schedule(after: .milliseconds(200 * (index + 1))) { simulated.press(.digit(digit)) }
            }
            clock.schedule(after: .milliseconds(200 * (digits.count + 1))) { simulated.press(.confirmation) }
        }
    }

    /// How much time the world has passed since `start`.
    func elapsed(since start: Duration) -> Duration { clock.reading() - start }

    /// READ BINARY of so many bytes.
    static func read(_ count: UInt8) -> CommandAPDU { CommandAPDU(0x00, 0xB0, 0x00, count, le: 0) }

    /// A command of extended length, with an answer that needs it too.
    static func extended(_ count: Int = 1000) throws -> CommandAPDU {
        try CommandAPDU(
            cla: 0, ins: 0xA4, p1: 0, p2: 0, data: [UInt8](repeating: 7, count: count), expectedLength: 65_536)
    }
}

extension ReaderQuirkTable {
    /// One row about a device, for quirks that no reader is known for.
    static func row(_ device: USBDevice, _ quirks: ReaderQuirk...) -> ReaderQuirkTable {
        ReaderQuirkTable(rules: [
            ReaderQuirkRule(
                "test", vendorID: device.descriptor.vendorID, productID: device.descriptor.productID, quirks,
                source: "test")
        ])
    }
}
