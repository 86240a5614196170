import Glibc

/// Bytes that must never be stored, logged or printed: a PAN, track data, a PIN, a PIN block, a key.
///
/// The memory has one owner, is overwritten with zeros when it is released, and has no textual form. It is locked into
/// RAM where the process may do so, and no core dump contains it. To show a part of a PAN, use ``MaskedPAN``.
public struct SensitiveBytes: ~Copyable, Sendable {
    // A raw buffer pointer is not Sendable. The buffer is written once, in `init`, and only read
    // afterwards, so readers on several threads are safe.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Copies `bytes` into new memory. The caller wipes its own copy.
    public init(_ bytes: some Collection<UInt8>) {
        storage = SecretHeap.shared.allocate(byteCount: bytes.count)
        storage.copyBytes(from: bytes)
    }

    /// Makes `count` bytes in place, so that no other memory ever holds them. They are zero until `fill` writes them.
    public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = SecretHeap.shared.allocate(byteCount: count)
        fill(storage)
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { storage.isEmpty }

    /// Passes the bytes to `body` for the duration of the call.
    public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Returns a copy in separate memory.
    public borrowing func duplicate() -> SensitiveBytes { SensitiveBytes(storage) }

    /// Compares in a time that depends only on the lengths.
    public borrowing func isEqual(to other: borrowing SensitiveBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in storage.indices { difference |= storage[index] ^ other.storage[index] }
        return difference == 0
    }

    deinit { SecretHeap.shared.release(storage) }
}

extension [UInt8] {
    /// Overwrites every byte with zero, in a way that a compiler cannot omit. Call it on an array with one owner: a
    /// shared array is copied first, and only the copy is wiped.
    public mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
    }
}
