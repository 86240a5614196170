internal import Synchronization

/// Lets one task through at a time, in the order of their arrival. Passing a free gate suspends nobody.
final class CommandGate: Sendable {
    private struct State {
        var isHeld = false
        var nextTicket: UInt64 = 0
        var waiters: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Waits for the turn; `release()` ends it.
    ///
    /// - Throws: when the task is cancelled before its turn came. The gate is not held then.
    func acquire() async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        let ticket: UInt64? = state.withLock { state in
            guard state.isHeld else {
                state.isHeld = true
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue($0, ticket) }
        } onCancel: {
            giveUp(ticket)
        }
        guard isGranted else { throw CancellationError() }
    }

    func release() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func enqueue(_ continuation: CheckedContinuation<Bool, Never>, _ ticket: UInt64) {
        let isFree = state.withLock { state in
            guard state.isHeld else {
                state.isHeld = true
                return true
            }
            state.waiters.append((ticket, continuation))
            return false
        }
        if isFree {
            continuation.resume(returning: true)
        } else if Task.isCancelled {
            // The cancellation may have come before there was anything to give up.
            giveUp(ticket)
        }
    }

    private func giveUp(_ ticket: UInt64) {
        let continuation: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }
}
