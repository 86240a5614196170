import Foundation
import Glibc
import Synchronization

/// A receipt printer on a TCP port of this machine: it takes what it is sent and answers what it is asked, as far as
/// its behavior lets it.
public final class SocketPrinter: Sendable {
    private struct State {
        var behavior: SocketPrinterBehavior
        var printed: [UInt8] = []
        var connections: Set<Int32> = []
        var isClosed = false
        var isStalled = false
        var connectionCount = 0
        var leftCount = 0
    }

    /// Where it listens.
    public let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Listens on a port that the system chooses.
    public init(_ behavior: SocketPrinterBehavior = SocketPrinterBehavior()) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SocketPrinterError(call: "socket", code: errno) }
        if behavior.isReadless {
            // Small, so that a sender notices soon.
            var size: Int32 = 4096
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else { throw SocketPrinterError(call: "listen", code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        state = Mutex(State(behavior: behavior))
        // A printer does not wait until this program has a thread to spare.
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// What came to be printed: everything but the questions.
    public var printed: [UInt8] { state.withLock { $0.printed } }

    /// The number of connections.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Changes how it behaves from now on.
    public func behave(_ change: (inout SocketPrinterBehavior) -> Void) {
        state.withLock {
            change(&$0.behavior)
            $0.isStalled = false
        }
    }

    /// Waits until so many bytes have come to be printed.
    public func waitUntilPrinted(_ count: Int) async {
        if printed.count >= count { return }
        for await _ in changes.stream where printed.count >= count { return }
    }

    /// Waits for the first connection: the kernel connects a client before this program accepts it.
    public func waitUntilConnected() async {
        if connectionCount > 0 { return }
        for await _ in changes.stream where connectionCount > 0 { return }
    }

    /// Waits until a client has ended its connection, and this end is closed, too. Only then has the client's system
    /// everything acknowledged, for which the kernel takes its time otherwise.
    public func waitUntilLeft() async {
        if leftCount > 0 { return }
        for await _ in changes.stream where leftCount > 0 { return }
    }

    private var leftCount: Int { state.withLock { $0.leftCount } }

    /// Hangs up, and listens no more.
    public func close() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        changes.continuation.finish()
        // The task that waits for one of these is resumed and closes it.
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    // MARK: Connections

    private func acceptAll() {
        while !state.withLock({ $0.isClosed }) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            // A program that another test starts would keep it open.
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            state.withLock {
                $0.connections.insert(connection)
                $0.connectionCount += 1
            }
            changes.continuation.yield()
            Thread.detachNewThread { [self] in serve(connection) }
        }
        Glibc.close(listener)
    }

    private func serve(_ connection: Int32) {
        var rest: [UInt8] = []
        var marks: UInt8 = 0
        defer {
            state.withLock { _ = $0.connections.remove(connection) }
            Glibc.close(connection)
            state.withLock { $0.leftCount += 1 }
            changes.continuation.yield()
        }
        if state.withLock({ $0.behavior.isReadless }) {
            // Until the sender has given up.
            var watched = pollfd(fd: connection, events: 0, revents: 0)
            _ = poll(&watched, 1, -1)
            return
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            rest += buffer.prefix(count)
            while let command = SocketPrinterCommand.first(in: rest, behavior.family) {
                rest.removeFirst(command.length)
                let (answer, hangsUp) = obey(command, &marks)
                if !answer.isEmpty { _ = answer.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0x4000) } }
                if hangsUp {
                    if behavior.resets {
                        var linger = linger(l_onoff: 1, l_linger: 0)
                        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
                    }
                    return
                }
            }
        }
    }

    private var behavior: SocketPrinterBehavior { state.withLock { $0.behavior } }

    /// - Returns: the response to a command, and whether it disconnects.
    private func obey(_ command: SocketPrinterCommand, _ marks: inout UInt8) -> (answer: [UInt8], hangsUp: Bool) {
        let behavior = behavior
        // Real-time commands are always answered.
        if let answer = behavior.realTimeAnswer(command, marks: marks) {
            return (behavior.answers ? answer : [], false)
        }
        guard !state.withLock({ $0.isStalled }) else { return ([], false) }
        if case .data(let bytes) = command {
            let count = state.withLock { state in
                state.printed += bytes
                return state.printed.count
            }
            changes.continuation.yield()
            if let limit = behavior.hangsUpAfter, count >= limit { return ([], true) }
            if let limit = behavior.paperEndsAfter, count >= limit {
                state.withLock {
                    $0.behavior.troubles.insert(.paperOut)
                    $0.isStalled = true
                }
            }
            return ([], false)
        }
        if case .mark = command { marks = (marks + 1) % 32 }
        // Before anything came to be printed there is nothing to confirm.
        if behavior.hangsUpBeforeConfirming, command.isConfirmation, !printed.isEmpty { return ([], true) }
        return (behavior.answers ? behavior.answer(command) : [], false)
    }
}

public struct SocketPrinterError: Error {
    public var call: String
    public var code: Int32
}
