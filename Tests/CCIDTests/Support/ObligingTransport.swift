import Synchronization
import USB

/// A reader whose card answers 9000 to whatever it gets, over T=0 and T=1 at every exchange level. It keeps nothing of
/// what it is told.
final class ObligingTransport: USBTransport {
    enum Mood { case willing, mute }

    let device: USBDevice
    private let answerToReset: [UInt8]
    private let isCharacterLevel: Bool
    private let mood: Mood
    private let answer = Mutex<[UInt8]>([])

    init(_ device: USBDevice, answerToReset: [UInt8], isCharacterLevel: Bool, _ mood: Mood) {
        (self.device, self.answerToReset) = (device, answerToReset)
        (self.isCharacterLevel, self.mood) = (isCharacterLevel, mood)
    }

    private var runsT1: Bool { answerToReset == hex(TestATR.t1) }

    func claim(interface: UInt8) async throws(USBError) {}
    func release(interface: UInt8) async throws(USBError) {}
    func clearHalt(endpoint: UInt8) async throws(USBError) {}
    func reset() async throws(USBError) {}
    func close() async {}
    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] { [] }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        var (type, status, data): (UInt8, [UInt8], [UInt8]) = (0x81, [0, 0], [])
        switch bytes[0] {
        case 0x65: status = [1, 0]
        case 0x62: (type, data) = (0x80, answerToReset)
        case 0x6F:
            type = 0x80
            if mood == .mute { status = [0x40, 0xFE] } else { data = cardAnswer(to: bytes[10...]) }
        default: break
        }
        answer.withLock { $0 = [type, UInt8(data.count), 0, 0, 0] + bytes[5...6] + status + [0] + data }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        answer.withLock { $0 }
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        throw .disconnected
    }

    private func cardAnswer(to data: ArraySlice<UInt8>) -> [UInt8] {
        if runsT1, let control = data.dropFirst().first, !isWholeAPDU(data) {
            let block = [0, control & 0x40, 2, 0x90, 0x00]
            return isCharacterLevel ? Array(block[..<3]) : block + [block.reduce(0, ^)]
        }
        guard isCharacterLevel else { return [0x90, 0x00] }
        // Of T=1 the rest of the block; of T=0 procedure byte, SW1, SW2.
        if runsT1 { return [0x90, 0x00, 0x92] }
        return switch data.count {
        case 5: [0x20]
        case 0: [0x00]
        default: [0x90]
        }
    }

    /// At the APDU levels no block comes here: VERIFY begins with 00 20, an I-block with 00 00 or 00 40.
    private func isWholeAPDU(_ data: ArraySlice<UInt8>) -> Bool { data.dropFirst().first == 0x20 }
}

/// A bus with one such reader.
struct ObligingBus: USBBus {
    let transport: ObligingTransport

    func devices() async throws(USBError) -> [USBDevice] { [transport.device] }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }
    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport { transport }
}
