internal import Determinism
internal import Synchronization

/// Who is there, and whether a server has stayed long enough.
final class USBIPVisits: Sendable {
    private enum Change { case came, left, expired }

    /// Each connection costs descriptors and a thread that waits, so that those who want nothing are limited.
    private static let mostStrangers = 32

    private let stay: DoorStay
    private let time: any TimeSource
    private let changes: AsyncStream<Change>
    private let inbox: AsyncStream<Change>.Continuation
    /// Connections, and how many of them have a device.
    private let counts = Mutex((connections: 0, guests: 0))

    init(_ stay: DoorStay, _ time: any TimeSource) {
        (self.stay, self.time) = (stay, time)
        (changes, inbox) = AsyncStream.makeStream()
    }

    /// Somebody connects.
    ///
    /// - Returns: whether they are let in; ``leave()`` follows then.
    func enter() -> Bool {
        counts.withLock { counts in
            guard counts.connections - counts.guests < Self.mostStrangers else { return false }
            counts.connections += 1
            return true
        }
    }

    /// A connection has ended.
    func leave() { counts.withLock { $0.connections -= 1 } }

    func note(_ event: USBIPEvent) {
        switch event {
        case .imported:
            counts.withLock { $0.guests += 1 }
            inbox.yield(.came)
        case .released:
            counts.withLock { $0.guests -= 1 }
            inbox.yield(.left)
        case .listed, .refused, .dropped: break
        }
    }

    /// Waits until the server is to end, or the task is cancelled.
    ///
    /// - Returns: whether it ends because nobody came.
    func isOver() async -> Bool {
        var guests = 0
        var timer = patience()
        defer { timer?.cancel() }
        for await change in changes {
            switch change {
            case .came:
                guests += 1
                timer?.cancel()
            case .left:
                guests -= 1
                guard guests == 0 else { continue }
                if stay.endsWithPeer { return false }
                timer = patience()
            case .expired:
                if guests == 0 { return true }
            }
        }
        return false
    }

    /// Runs out when nobody comes.
    private func patience() -> Task<Void, Never>? {
        stay.longestWait.map { longest in
            Task { [time, inbox] in
                do throws(CancellationError) { try await time.sleep(for: longest) } catch { return }
                inbox.yield(.expired)
            }
        }
    }
}
