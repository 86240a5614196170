internal import Dispatch
internal import Glibc

/// Waits for a socket on a thread that belongs to no Swift task, until the socket is ready or the waiting task is
/// cancelled.
final class SocketWaiter: Sendable {
    enum End: Hashable, Sendable { case ready, late, cancelled }

    private let queue = DispatchQueue(label: "cardpresent.door")
    /// Two ends of a socket of its own. A cancelled task writes into one of them, which ends the wait for the other.
    private let bell: Int32
    private let alarm: Int32

    /// - Throws: ``DoorError/unreachable(_:reason:)`` when the process has no descriptor left.
    init(for address: DoorAddress) throws(DoorError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .unreachable(address, reason: systemText(errno)) }
        (bell, alarm) = (ends[0], ends[1])
    }

    deinit {
        close(bell)
        close(alarm)
    }

    /// Waits for one of the events on a socket.
    ///
    /// - Parameters:
    ///   - socket: what to wait for.
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - milliseconds: how long; negative for ever.
    /// - Returns: how the wait ended.
    func wait(for socket: Int32, _ events: Int32, milliseconds: Int32) async -> End {
        let end = await run { [alarm] in
            var watched = [
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            while true {
                let count = poll(&watched, 2, milliseconds)
                if count < 0, errno == EINTR { continue }
                if watched[1].revents != 0 { return End.cancelled }
                return count == 0 ? .late : .ready
            }
        }
        return Task.isCancelled ? .cancelled : end
    }

    /// Runs a call that blocks.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body()) }
            }
        } onCancel: {
            _ = write(bell, [1], 1)
        }
    }
}
