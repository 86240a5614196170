import CCID
import Determinism
import SmartCard
import Testing
import USB

/// An open reader over a scripted device.
struct Rig {
    let transport: ScriptedTransport
    let time: VirtualTimeSource
    let recovery = RecoveryLog()
    let reader: CCIDReader

    /// QEMU's reader: T=0 only, TPDU level, everything automatic, a message length that is a lie.
    static let qemuDescriptor = hex(
        "36 21 10 01 00 07 01000000 A00F0000 00000000 01 80250000 00C20100 00 FE000000 00000000 00000000"
            + "FE040100 12000100 FF FF 0000 01 01")

    static func device(_ descriptor: [UInt8], interrupt: Bool = false) -> USBDevice {
        var endpoints = [
            USBEndpoint(address: 0x82, kind: .bulk, maximumPacketSize: 64),
            USBEndpoint(address: 0x03, kind: .bulk, maximumPacketSize: 64),
        ]
        if interrupt { endpoints.append(USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 64)) }
        return USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x08E6, productID: 0x4433, release: 0),
            configuration: USBConfiguration(
                value: 1,
                interfaces: [
                    USBInterface(number: 0, classCode: 0x0B, endpoints: endpoints, classDescriptors: [descriptor])
                ]))
    }

    /// Opens the reader; that takes sequence number 0.
    init(
        _ descriptor: CCIDClassDescriptor, interrupt: Bool = false, timing: CCIDTiming = CCIDTiming(),
        clock: (any TimeSource)? = nil, quirks: ReaderQuirkTable = .none,
        opening: [String] = ["> 65 00000000 00 00 000000", "< 81 00000000 00 00 01 00 00"], _ script: [String]
    ) async throws {
        time = VirtualTimeSource()
        transport = ScriptedTransport(Self.device(descriptor.bytes, interrupt: interrupt), time)
        transport.append(opening + script)
        reader = try await CCIDReader.open(
            transport.device, on: ScriptedBus(transport: transport), timing: timing, quirks: quirks,
            time: clock ?? time, onRecovery: recovery.append)
        if interrupt { await until { transport.isListening } }
    }

    /// A reader of some level whose host sets parameters, for one slot.
    init(
        _ level: CCIDExchangeLevel, features: CCIDFeatures = [], interrupt: Bool = false, _ script: [String]
    ) async throws {
        try await self.init(CCIDClassDescriptor(level: level, features: features), interrupt: interrupt, script)
    }

    func until(_ condition: () -> Bool) async {
        for _ in 0..<1_000_000 {
            if condition() { return }
            await Task.yield()
        }
        Issue.record("it never happened")
    }

    /// Everything in the script happened, and nothing else.
    func expectDone(_ location: SourceLocation = #_sourceLocation) async {
        #expect(transport.problems == [], sourceLocation: location)
        #expect(transport.remaining == [], sourceLocation: location)
        await transport.close()
    }
}

/// EMV cards' answers to reset.
enum TestATR {
    static let t0 = "3B600000"
    /// TA1 = 13: four times the initial rate.
    static let fastT0 = "3B70130000"
    static let t1 = "3BE000FF8131FE4514"
    static let t0ThenT1 = "3BE000008031FE45EA"
    /// TA2: T=0 at TA1 = 12, without negotiation.
    static let specificT0 = "3BF01200001000"
}

private func message(_ type: String, _ sequence: Int, _ specific: String, _ data: String, slot: Int = 0) -> String {
    let bytes = hex(data)
    return type + hex([UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8), 0, 0]) + hex([UInt8(slot), UInt8(sequence)])
        + hex(hex(specific)) + hex(bytes)
}

/// Sends a block to the card: bBWI and wLevelParameter, then the data.
func block(_ sequence: Int, _ data: String, _ specific: String = "00 0000", slot: Int = 0) -> String {
    "> " + message("6F", sequence, specific, data, slot: slot)
}

/// Asks the reader for a PIN: bBWI and wLevelParameter are zero, the data is a PIN data structure.
func secure(_ sequence: Int, _ data: String) -> String { "> " + message("69", sequence, "000000", data) }

/// A data block from the reader: bStatus, bError, bChainParameter, then the data.
func answer(_ sequence: Int, _ data: String, _ specific: String = "00 00 00", slot: Int = 0) -> String {
    "< " + message("80", sequence, specific, data, slot: slot)
}

/// A command without data, and the slot status that answers it.
func status(_ type: String, _ sequence: Int, _ specific: String = "00 00 00", slot: Int = 0) -> [String] {
    [
        "> " + message(type, sequence, "000000", "", slot: slot),
        "< " + message("81", sequence, specific, "", slot: slot),
    ]
}

/// PowerOn of a slot that has an inactive card: status, power, ATR.
func power(_ sequence: Int, _ atr: String, select: String = "01", slot: Int = 0) -> [String] {
    status("65", sequence, "01 00 00", slot: slot) + reset(sequence + 1, atr, select: select, slot: slot)
}

func reset(_ sequence: Int, _ atr: String, select: String = "01", slot: Int = 0) -> [String] {
    ["> " + message("62", sequence, select + "0000", "", slot: slot), answer(sequence, atr, slot: slot)]
}

/// SetParameters and its echo.
func parameters(
    _ sequence: Int, _ number: String, _ data: String, _ specific: String = "00 00", slot: Int = 0
) -> [String] {
    [
        "> " + message("61", sequence, number + "0000", data, slot: slot),
        "< " + message("82", sequence, specific + number, data, slot: slot),
    ]
}

/// The pair of messages that aborts, and the reader's confirmation.
func abort(_ sequence: Int, slot: Int = 0) -> [String] {
    ["C " + hex([UInt8(sequence), UInt8(slot)])] + status("72", sequence, slot: slot)
}

/// Ready for T=0 commands from sequence number 4 on, at TPDU level with parameters set by the host.
let readyForT0 = power(1, TestATR.t0) + parameters(3, "00", "1100000A00")
