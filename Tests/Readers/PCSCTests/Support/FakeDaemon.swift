import CPCSC
import CardSecrets
import Determinism
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import PCSC

/// A scripted libpcsclite, with a pcscd that can break any rule.
///
/// C functions carry no state: one fake at a time makes contexts, and from then on its handles lead to it. Tests with
/// fakes run one after the other.
final class FakeDaemon: Sendable {
    /// The return value of a function, its output, and the reported length.
    struct Reply: Sendable {
        var code: PCSCErrorCode?
        var bytes: [UInt8] = []
        var length: UInt?

        static func failed(_ code: PCSCErrorCode) -> Reply { Reply(code: code) }
    }

    /// What each function does; all succeed at first.
    struct Script: Sendable {
        var establish: @Sendable () -> Reply = { Reply() }
        var readers: @Sendable () -> Reply = { Reply(bytes: Array("Reader 00 00\0\0".utf8)) }
        /// Gets the states as they are known and how long to wait; gives them back as they are.
        var change: @Sendable ([State], UInt) -> (Reply, [State]) = { states, _ in (Reply(), states) }
        /// The protocol is the first byte.
        var connect: @Sendable () -> Reply = { Reply(bytes: [1]) }
        var reconnect: @Sendable (PCSCDisposition?) -> Reply = { _ in Reply(bytes: [1]) }
        var begin: @Sendable () -> Reply = { Reply() }
        var status: @Sendable () -> Reply = { Reply(bytes: [0x3B, 0x60, 0, 0]) }
        var transmit: @Sendable ([UInt8]) -> Reply = { _ in Reply(bytes: [0x90, 0x00]) }
        var control: @Sendable (UInt32, [UInt8]) -> Reply = { _, _ in .failed(.unsupportedFeature) }
        var attribute: @Sendable (UInt32) -> Reply = { _ in .failed(.unsupportedFeature) }
    }

    struct State: Sendable {
        var reader: String
        var state: UInt
        var answer: [UInt8] = []
        var length: UInt?
    }

    let script: Mutex<Script>
    private let log = Mutex<[String]>([])
    private let cancellation = Mutex(false)

    private static let current = Mutex<FakeDaemon?>(nil)
    private static let owners = Mutex<(last: Int, of: [Int: FakeDaemon])>((0, [:]))

    convenience init(_ change: (inout Script) -> Void = { _ in }) {
        var script = Script()
        change(&script)
        self.init(script)
        Self.current.withLock { $0 = self }
    }

    private init(_ script: Script) { self.script = Mutex(script) }

    /// The calls so far, without those that only look.
    var calls: [String] { log.withLock { $0 } }

    var library: PCSCLibrary {
        var functions = cpcsc_functions()
        functions.SCardEstablishContext = { _, _, _, context in
            guard let daemon = FakeDaemon.current.withLock({ $0 }) else { return 0x8010_001D }
            let reply = daemon.script.withLock { $0.establish }()
            context.pointee = daemon.handle()
            return reply.returned
        }
        functions.SCardReleaseContext = { FakeDaemon.of($0).note("release") }
        functions.SCardListReaders = { context, _, readers, length in
            let reply = FakeDaemon.of(context).script.withLock { $0.readers }()
            return reply.write(to: readers.map { UnsafeMutableRawPointer($0) }, length)
        }
        functions.SCardGetStatusChange = { FakeDaemon.of($0).change($2, $3, within: $1) }
        functions.SCardCancel = {
            let daemon = FakeDaemon.of($0)
            daemon.cancellation.withLock { $0 = true }
            return daemon.note("cancel")
        }
        functions.SCardConnect = { context, reader, sharing, protocols, card, active in
            let daemon = FakeDaemon.of(context)
            _ = daemon.note("connect \(String(cString: reader)) \(sharing) \(protocols)")
            let reply = daemon.script.withLock { $0.connect }()
            card.pointee = daemon.handle()
            active.pointee = UInt(reply.bytes.first ?? 0)
            return reply.returned
        }
        functions.SCardReconnect = { card, sharing, protocols, initialization, active in
            let daemon = FakeDaemon.of(card)
            _ = daemon.note("reconnect \(sharing) \(protocols) \(initialization)")
            let reply = daemon.script.withLock { $0.reconnect }(PCSCDisposition(rawValue: initialization))
            active.pointee = UInt(reply.bytes.first ?? 0)
            return reply.returned
        }
        functions.SCardDisconnect = { FakeDaemon.of($0).note("disconnect \($1)") }
        functions.SCardBeginTransaction = { card in
            let daemon = FakeDaemon.of(card)
            _ = daemon.note("begin")
            return daemon.script.withLock { $0.begin }().returned
        }
        functions.SCardEndTransaction = { FakeDaemon.of($0).note("end \($1)") }
        functions.SCardStatus = { card, _, _, _, _, answer, length in
            let reply = FakeDaemon.of(card).script.withLock { $0.status }()
            return length.map { reply.write(to: answer, $0) } ?? reply.returned
        }
        functions.SCardTransmit = { card, request, command, count, _, answer, length in
            let daemon = FakeDaemon.of(card)
            var bytes = Array(UnsafeBufferPointer(start: command, count: Int(count)))
            defer { bytes.wipe() }
            _ = daemon.note("transmit \(request.pointee.protocol) \(hex(bytes))")
            return daemon.script.withLock { $0.transmit }(bytes).write(to: answer, length)
        }
        functions.SCardControl = { card, code, command, count, answer, room, length in
            let daemon = FakeDaemon.of(card)
            let bytes = Array(UnsafeRawBufferPointer(start: command, count: Int(count)))
            _ = daemon.note("control \(String(code, radix: 16)) \(hex(bytes))")
            length.pointee = room
            return daemon.script.withLock { $0.control }(UInt32(code), bytes).write(to: answer, length)
        }
        functions.SCardGetAttrib = { card, attribute, value, length in
            FakeDaemon.of(card).script.withLock { $0.attribute }(UInt32(attribute)).write(to: value, length)
        }
        return PCSCLibrary(functions: functions)
    }

    /// Waits, on the thread of a call, until it is canceled.
    func waitForCancellation() {
        while !cancellation.withLock({ $0 }) { usleep(500) }
        cancellation.withLock { $0 = false }
    }

    private func handle() -> Int {
        Self.owners.withLock {
            $0.last += 1
            $0.of[$0.last] = self
            return $0.last
        }
    }

    private static func of(_ handle: Int) -> FakeDaemon {
        owners.withLock { $0.of[handle] } ?? FakeDaemon.unknown
    }

    private static let unknown = FakeDaemon(Script())

    private func note(_ call: String) -> Int {
        log.withLock { $0.append(call) }
        return 0
    }

    private func change(_ states: UnsafeMutablePointer<cpcsc_reader_state>, _ count: UInt, within milliseconds: UInt)
        -> Int
    {
        let known = (0..<Int(count)).map {
            State(reader: states[$0].reader.map { String(cString: $0) } ?? "", state: states[$0].current_state)
        }
        let (reply, now) = script.withLock { $0.change }(known, milliseconds)
        for (index, state) in now.enumerated() where index < Int(count) {
            states[index].event_state = state.state
            withUnsafeMutableBytes(of: &states[index].atr) { $0.copyBytes(from: state.answer.prefix($0.count)) }
            states[index].atr_length = state.length ?? UInt(state.answer.count)
        }
        return reply.returned
    }
}

extension FakeDaemon.Reply {
    fileprivate var returned: Int { code.map { Int($0.rawValue) } ?? 0 }

    /// Writes at most the available space, whatever length it reports.
    fileprivate func write(to memory: UnsafeMutableRawPointer?, _ length: UnsafeMutablePointer<UInt>) -> Int {
        let room = Int(length.pointee)
        if let memory {
            UnsafeMutableRawBufferPointer(start: memory, count: room).copyBytes(from: bytes.prefix(room))
        }
        length.pointee = self.length ?? UInt(bytes.count)
        return returned
    }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

/// Time that stands still until a test moves it.
final class ManualTime: TimeSource {
    private struct State {
        var now = Duration.zero
        var last = 0
        var canceled: Set<Int> = []
        var sleepers: [Int: (due: Duration, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let state = Mutex(State())

    func now() -> Timestamp { VirtualTimeSource.standardStart.advanced(by: reading()) }

    func reading() -> Duration { state.withLock { $0.now } }

    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let (number, due) = state.withLock {
            $0.last += 1
            return ($0.last, $0.now + duration)
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock {
                    if $0.canceled.remove(number) != nil { return false }
                    if due <= $0.now { return true }
                    $0.sleepers[number] = (due, continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.canceled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.due <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }

    /// Lets time pass until `task` has ended.
    func pass<Value: Sendable>(until task: Task<Value, Never>) async -> Value {
        let passing = Task {
            while !Task.isCancelled {
                advance(by: .milliseconds(250))
                // The resumed tasks run on other threads.
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { passing.cancel() }
        return await task.value
    }
}

/// One fake pcscd at a time.
@Suite("Readers behind pcscd", .serialized) enum WithFakeDaemon {}
