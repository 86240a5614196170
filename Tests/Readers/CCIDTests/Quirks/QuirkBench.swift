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

/// A quirk of a row, and the simulated reader that shows it under the row's identifiers.
struct QuirkCase: Sendable, CustomTestStringConvertible {
    let rule: ReaderQuirkRule
    let quirk: ReaderQuirk

    var testDescription: String { "\(rule.usbID) \(rule.name), \(rule.firmwareText): \(quirk.kind.rawValue)" }

    /// Every quirk of every row that comes with the driver.
    static let all = ReaderQuirkTable.embedded.rules.flatMap { rule in
        rule.quirks.map { QuirkCase(rule: rule, quirk: $0) }
    }

    static func cases(_ kinds: ReaderQuirk.Kind...) -> [QuirkCase] { all.filter { kinds.contains($0.quirk.kind) } }

    /// The driver's rows, without the refusal that would hide what a reader does.
    static let rows: ReaderQuirkTable = {
        var table = ReaderQuirkTable.embedded
        table.allowsRefusedFirmware = true
        return table
    }()

    /// Which simulated reader shows a quirk.
    static func model(showing kind: ReaderQuirk.Kind, _ quirk: ReaderQuirk? = nil) -> SimulatedReaderModel {
        switch kind {
        case .refusedFirmware, .informationFieldSize: .stuckPackets
        case .startPause, .firstAnswer: .slowStart
        case .noPINPad: .falsePINPad
        case .pinMessages: .pinMessages
        case .swappedPINDigits: .pinDigits
        case .exchangeLevel:
            switch quirk {
            case .exchangeLevel(.extendedAPDU): .chaining
            case .exchangeLevel(.shortAPDU): .shortOnly
            default: .tpduOnly
            }
        case .maximumDataRate: .highRates
        case .noProtocolSelection: .noPPS
        case .noIFSDNegotiation: .noIFSD
        case .messageLength: .messageLength
        case .slotCount: .slotCount
        case .polled: .lostNotices
        case .noAbort: .noAbort
        case .oneInterfaceAtATime: .sharedFirmware
        case .vendorSpecificClass: .vendorClass
        case .noAutosuspend: .suspend
        }
    }

    /// The reader of the row, with its fault of the row's size.
    func model(change: (inout SimulatedReaderModel) -> Void = { _ in }) -> SimulatedReaderModel {
        var model = Self.model(showing: quirk.kind, quirk)
        let isContactless = ContactlessReaderRow.known.contains {
            $0.vendorID == rule.vendorID && $0.productID == rule.productID
        }
        // Readers of contactless cards run the card's protocol themselves.
        if isContactless { model.level = .shortAPDU }
        change(&model)
        return model.disguised(
            asVendor: rule.vendorID, product: rule.productID, release: rule.firmware.upperBound.rawValue)
    }

    func bench(
        card: [UInt8]? = QuirkCard.t0, change: (inout SimulatedReaderModel) -> Void = { _ in }
    ) -> QuirkBench {
        QuirkBench(model(change: change), card: card)
    }
}

/// A card that answers by the instruction byte: A4 gives its data back reversed, B0 gives P2 bytes (1000 for P1 = FF),
/// E0 takes a second a P1, 20 is VERIFY with the PIN 1234.
final class QuirkCard: SimulatedCard {
    /// T=0 alone, at the initial rate.
    static let t0 = hex(TestATR.t0)
    /// T=0 alone. TA1 = 96 asks for 250 kbit/s at 4 MHz.
    static let fastT0 = hex("3B70960000")
    /// T=1 alone, IFSC 32.
    static let t1 = hex("3BE000008131204535")

    let answerToReset: [UInt8]

    init(_ answerToReset: [UInt8] = t0) { self.answerToReset = answerToReset }

    func reset(warm: Bool) -> [UInt8] { answerToReset }

    func powerOff() {}

    func process(_ command: CommandAPDU) -> SimulatedCardReply {
        switch command.ins {
        case 0x20:
            let isRight = command.data == hex("241234FFFFFFFFFF")
            return SimulatedCardReply(ResponseAPDU(status: isRight ? .success : StatusWord(0x63, 0xC2)))
        case 0xA4: return SimulatedCardReply(ResponseAPDU(data: command.data.reversed(), status: .success))
        case 0xB0:
            let count = command.p1 == 0xFF ? 1000 : Int(command.p2)
            return SimulatedCardReply(
                ResponseAPDU(data: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, status: .success))
        case 0xE0:
            return SimulatedCardReply(ResponseAPDU(status: .success), processingTime: .seconds(Int(command.p1)))
        default: return SimulatedCardReply(ResponseAPDU(status: .instructionNotSupported))
        }
    }

    func sendsData(header: [UInt8]) -> Bool { header[1] == 0x20 || header[1] == 0xA4 }
}
