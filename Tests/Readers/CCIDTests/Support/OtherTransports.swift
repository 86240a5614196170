import Synchronization
import USB

/// A reader gone mad: answers that are nearly right, wrong, empty or missing.
final class NoisyTransport: USBTransport {
    private struct State {
        var dice: Dice
        var command: [UInt8] = []
    }

    let device: USBDevice
    private let state: Mutex<State>

    init(_ device: USBDevice, seed: UInt64) {
        self.device = device
        state = Mutex(State(dice: Dice(state: seed)))
    }

    func claim(interface: UInt8) async throws(USBError) {}
    func release(interface: UInt8) async throws(USBError) {}
    func clearHalt(endpoint: UInt8) async throws(USBError) {}
    func reset() async throws(USBError) {}
    func close() async {}
    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] { [] }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        state.withLock { $0.command = bytes }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        let result: Result<[UInt8], USBError> = state.withLock { state in
            switch Int.random(in: 0..<40, using: &state.dice) {
            case 0: return .failure(.timedOut)
            case 1: return .failure(.stalled)
            case 2: return .success([])
            case 3: return .success(state.dice.bytes(Int.random(in: 0...40, using: &state.dice)))
            default: return .success(Self.answer(to: state.command, &state.dice))
            }
        }
        return try result.get()
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        let notice: [UInt8]? = state.withLock { state in
            guard Int.random(in: 0..<30, using: &state.dice) > 0 else { return nil }
            return [0x50, 0x51, 0x00].randomElement(using: &state.dice).map { [$0] + state.dice.bytes(2) }
        }
        await Task.yield()
        guard let notice else { throw .disconnected }
        return notice
    }

    /// An answer with the right header and, most of the time, a good status.
    private static func answer(to command: [UInt8], _ dice: inout Dice) -> [UInt8] {
        let types: [UInt8: UInt8] = [0x62: 0x80, 0x6F: 0x80, 0x61: 0x82, 0x6C: 0x82]
        var data: [UInt8] = []
        switch command[0] {
        case 0x62: data = [hex(TestATR.t0), hex(TestATR.t1), hex(TestATR.fastT0)].randomElement(using: &dice) ?? []
        case 0x6F where command.count > 10:
            // An echo suits PPS and S blocks; else an I-block or a status.
            let choices = [
                Array(command[10...]), [0x90, 0x00], [0x61, 0x04], [0, 0, 2, 0x90, 0, 0x92], dice.bytes(5),
            ]
            data = choices.randomElement(using: &dice) ?? []
        case 0x6F: data = dice.bytes(Int.random(in: 0...9, using: &dice))
        case 0x61: data = Array(command[10...])
        default: break
        }
        let isGood = Int.random(in: 0..<10, using: &dice) > 0
        let status: [UInt8] = isGood ? [0, 0] : dice.bytes(2)
        let specific: UInt8 = [0, 0, 0, 1, 2, 3, 0x10].randomElement(using: &dice) ?? 0
        var answer: [UInt8] = [types[command[0]] ?? 0x81, UInt8(data.count & 0xFF), UInt8(data.count >> 8), 0, 0]
        answer += command[5...6]
        answer += status
        answer.append(specific)
        return answer + data
    }
}

/// A bus with one such reader.
struct NoisyBus: USBBus {
    let transport: NoisyTransport

    func devices() async throws(USBError) -> [USBDevice] { [transport.device] }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }
    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport { transport }
}

/// A reader whose card answers 9000 to every command, with T=0 and T=1 at every exchange level. It keeps no
/// state.
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
