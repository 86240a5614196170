internal import Synchronization

/// Something under way on a device that can be ended early.
protocol RunningTransfer: AnyObject, Sendable {
    func cancel()
}

/// What is under way on one device.
final class RunningTransfers: Sendable {
    private struct State {
        var isClosed = false
        /// Few: an exchange, and a read that waits for notices.
        var running: [any RunningTransfer] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Notes that `transfer` is about to begin; ``remove(_:)`` must follow when it has ended.
    ///
    /// - Returns: whether it may; false when no more transfers are let in.
    func add(_ transfer: any RunningTransfer) -> Bool {
        state.withLock {
            if !$0.isClosed { $0.running.append(transfer) }
            return !$0.isClosed
        }
    }

    func remove(_ transfer: any RunningTransfer) {
        let finished = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if let index = state.running.firstIndex(where: { $0 === transfer }) { state.running.remove(at: index) }
            guard state.running.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in finished { continuation.resume() }
    }

    /// Lets no more transfers in, cancels those that run and returns when the last one has ended.
    func end() async {
        await withCheckedContinuation { continuation in
            let running = state.withLock {
                $0.isClosed = true
                if !$0.running.isEmpty { $0.waiting.append(continuation) }
                return $0.running
            }
            for transfer in running { transfer.cancel() }
            if running.isEmpty { continuation.resume() }
        }
    }
}
