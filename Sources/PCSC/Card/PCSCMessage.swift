internal import Glibc

/// The bytes of a command, in memory of their own that is wiped: it can be a PIN.
final class PCSCMessage: Sendable {
    // Written once, in `init`, and only read afterwards.
    nonisolated(unsafe) private let memory: UnsafeMutablePointer<UInt8>
    /// Number of bytes.
    let count: Int

    init(_ bytes: [UInt8]) {
        count = bytes.count
        memory = .allocate(capacity: max(1, count))
        memory.initialize(repeating: 0, count: max(1, count))
        UnsafeMutableRawBufferPointer(start: memory, count: count).copyBytes(from: bytes)
    }

    deinit {
        explicit_bzero(memory, count)
        memory.deallocate()
    }

    /// Where the bytes are, for as long as this is held.
    var start: UnsafePointer<UInt8> { UnsafePointer(memory) }
}
