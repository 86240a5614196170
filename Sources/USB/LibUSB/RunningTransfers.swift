internal import Synchronization

/// The transfers of one device that have not ended.
final class RunningTransfers: Sendable {
    private struct State {
        var isClosed = false
        var running: [ObjectIdentifier: LibUSBTransfer] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs a transfer.
    ///
    /// - Throws: what the transfer ends with; ``USBError/cancelled`` when no more transfers are let in.
    func run(_ transfer: LibUSBTransfer) async throws(USBError) -> Int {
        let isLetIn = state.withLock {
            if !$0.isClosed { $0.running[ObjectIdentifier(transfer)] = transfer }
            return !$0.isClosed
        }
        guard isLetIn else { throw .cancelled }
        defer { remove(transfer) }
        return try await transfer.run()
    }

    /// Lets no more transfers in, cancels those that run and returns when the last one has ended.
    func end() async {
        await withCheckedContinuation { continuation in
            let running = state.withLock {
                $0.isClosed = true
                if !$0.running.isEmpty { $0.waiting.append(continuation) }
                return Array($0.running.values)
            }
            for transfer in running { transfer.cancel() }
            if running.isEmpty { continuation.resume() }
        }
    }

    private func remove(_ transfer: LibUSBTransfer) {
        let finished = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.running[ObjectIdentifier(transfer)] = nil
            guard state.running.isEmpty else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in finished { continuation.resume() }
    }
}
