import Synchronization
import USB

/// A minimal CCID reader in memory that answers at once.
final class InstantReader: USBBus, USBTransport {
    let device: USBDevice
    private let card: InstantCard
    private let answerToReset: [UInt8]
    private let answer = Mutex<[UInt8]>([])

    init(_ device: USBDevice, answerToReset: [UInt8], card: InstantCard) {
        (self.device, self.answerToReset, self.card) = (device, answerToReset, card)
    }

    func devices() async throws(USBError) -> [USBDevice] { [device] }

    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport { self }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        guard bytes.count >= 10 else { throw .stalled }
        let (type, payload): (UInt8, [UInt8]) =
            switch bytes[0] {
            case 0x62: (0x80, answerToReset)
            case 0x6F: (0x80, card.answer(Array(bytes[10...])))
            case 0x61, 0x6C: (0x82, Array(bytes[10...]))
            default: (0x81, [])
            }
        let count = UInt32(payload.count)
        let length = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) }
        answer.withLock { $0 = [type] + length + [bytes[5], bytes[6], 0, 0, 0] + payload }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        answer.withLock { $0 }
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        throw .notFound
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] { [] }

    func claim(interface: UInt8) async throws(USBError) {}
    func release(interface: UInt8) async throws(USBError) {}
    func clearHalt(endpoint: UInt8) async throws(USBError) {}
    func reset() async throws(USBError) {}
    func close() async {}
}
