internal import Determinism

/// Who is there, and whether a server has stayed long enough.
final class USBIPVisits: Sendable {
    private enum Change { case came, left, expired }

    private let stay: DoorStay
    private let time: any TimeSource
    private let changes: AsyncStream<Change>
    private let inbox: AsyncStream<Change>.Continuation

    init(_ stay: DoorStay, _ time: any TimeSource) {
        (self.stay, self.time) = (stay, time)
        (changes, inbox) = AsyncStream.makeStream()
    }

    func note(_ event: USBIPEvent) {
        switch event {
        case .imported: inbox.yield(.came)
        case .released: inbox.yield(.left)
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
