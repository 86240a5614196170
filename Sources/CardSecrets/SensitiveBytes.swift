internal import Glibc

/// Bytes that must never be stored, logged or printed: a PAN, track data, a PIN, a PIN block, a key.
///
/// The memory has one owner, is overwritten with zeros when that owner lets go, and has no textual
/// form. What may be shown of a PAN is a ``MaskedPAN``, which is made on purpose.
public struct SensitiveBytes: ~Copyable, Sendable {
    // A raw buffer pointer is not Sendable. The buffer is written once, in `init`, and only read
    // afterwards, so readers on several threads are safe.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

    /// Copies `bytes` into memory of their own. The caller's copy is the caller's to wipe.
    public init(_ bytes: some Collection<UInt8>) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Makes `count` bytes in their place, so that no other memory ever holds them. They are zero until `fill` has
    /// written them.
    public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = .allocate(byteCount: max(0, count), alignment: 1)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        fill(storage)
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { storage.isEmpty }

    /// Gives the bytes to `body` for the length of the call.
    public borrowing func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// A second owner of the same bytes, in memory of its own.
    public borrowing func duplicate() -> SensitiveBytes { SensitiveBytes(storage) }

    /// Compares in a time that depends on the lengths only.
    public borrowing func isEqual(to other: borrowing SensitiveBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in storage.indices { difference |= storage[index] ^ other.storage[index] }
        return difference == 0
    }

    deinit {
        // Unlike memset, which a compiler may leave out before memory is let go.
        if let start = storage.baseAddress { explicit_bzero(start, storage.count) }
        storage.deallocate()
    }
}
