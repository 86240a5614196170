import Determinism
import Synchronization

/// Admits one task at a time, in the order of arrival. Passing a free gate does not suspend the task.
final class CommandGate: Sendable {
    private struct State {
        var isHeld = false
        var nextTicket: UInt64 = 0
        var waiters: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Mutex(State())

    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Waits for a turn, which `release()` ends.
    ///
    /// - Throws: when the task is canceled before its turn. The gate is not held then.
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
            // The cancellation may have come before the task was in the queue.
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

/// Tasks that wait for a change in a slot.
struct ChangeWaiters {
    private var continuations: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastTicket: UInt64 = 0

    /// Returns a ticket for one wait.
    mutating func takeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Adds the task of a ticket.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, _ ticket: UInt64) {
        continuations[ticket] = continuation
    }

    /// Wakes one task, if it still waits.
    mutating func wake(_ ticket: UInt64) { continuations.removeValue(forKey: ticket)?.resume() }

    /// Wakes every task, in the order of the tickets, so that a repeatable run stays repeatable.
    mutating func wakeAll() {
        let waiting = continuations
        continuations = [:]
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume() }
    }
}

extension CCIDReader {
    /// Lets time pass.
    ///
    /// - Throws: ``CCIDError/canceled``
    func pause(_ duration: Duration) async throws(CCIDError) {
        guard duration > .zero else { return }
        do throws(CancellationError) {
            try await time.sleep(for: duration)
        } catch {
            throw .canceled
        }
    }
}
