internal import Dispatch
internal import Glibc

/// Notices when nobody reads standard output any more, as after `head -1`: output that goes on has then come to its end.
/// Files and terminals are read for ever.
final class OutputWatch: Sendable {
    /// Two ends of a socket of its own: a byte into one of them ends the wait.
    private let bell: Int32
    private let alarm: Int32

    /// Nil when the process has no descriptor left.
    ///
    /// - Parameter onEnd: called once, on a thread of its own, when the reader has gone.
    init?(onEnd: @escaping @Sendable () -> Void) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (bell, alarm) = (ends[0], ends[1])
        DispatchQueue(label: "cardpresent.output").async { [self] in
            var files = [
                // For nothing: an error is told whatever one waits for (poll(2)).
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&files, 2, -1) < 0, errno == EINTR {}
            if files[1].revents == 0, Int32(files[0].revents) & (POLLERR | POLLHUP) != 0 { onEnd() }
        }
    }

    deinit {
        close(bell)
        close(alarm)
    }

    /// Watches no more.
    func end() { _ = write(bell, [1], 1) }
}
