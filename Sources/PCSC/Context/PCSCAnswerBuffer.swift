internal import Glibc

/// Room for the longest answer of a card, made once for a context.
///
/// Only the calls of one context use it, which run one after the other; between two of them it is empty.
final class PCSCAnswerBuffer: Sendable {
    /// 65,536 bytes, and the status word.
    static let capacity = 65_538

    // Reached through `fill` alone, which the calls of one context run one at a time.
    nonisolated(unsafe) private let memory: UnsafeMutablePointer<UInt8>

    init() {
        memory = .allocate(capacity: Self.capacity)
        memory.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { memory.deallocate() }

    /// Lets `call` write an answer and tell its length, which is `room` before. What it wrote is wiped: it can be card
    /// data.
    ///
    /// - Returns: the answer.
    /// - Throws: ``PCSCError/malformedAnswer(_:_:)`` when the call tells of more bytes than it had room for, and what
    ///   `call` throws.
    func fill(
        _ name: PCSCCall, room: Int = capacity,
        _ call: (UnsafeMutablePointer<UInt8>, inout UInt) throws(PCSCError) -> Void
    ) throws(PCSCError) -> [UInt8] {
        let room = min(max(0, room), Self.capacity)
        var length = UInt(room)
        var used = room
        defer { explicit_bzero(memory, used) }
        try call(memory, &length)
        guard length <= room else {
            throw .malformedAnswer(name, "\(length) bytes where \(room) were to be had")
        }
        used = Int(length)
        return Array(UnsafeBufferPointer(start: memory, count: used))
    }
}
