import Glibc
import Synchronization

/// The memory of ``SensitiveBytes``: pages that are kept out of core dumps, out of swap, and out of forked processes.
///
/// A secret up to 2,048 bytes takes a slot of a chunk, and a chunk has slots of one size. Chunks stay for the life of
/// the process and their slots are used again, so that they need at most as much of `RLIMIT_MEMLOCK` as the most
/// secrets that were held at once. A longer secret has pages of its own, which are given back with it.
///
/// The three protections are those of mlock(2) and madvise(2). Each is tried on its own, and a failure is no error: a
/// process that may lock no memory still keeps its secrets out of dumps.
final class SecretHeap: Sendable {
    static let shared = SecretHeap()

    /// The sizes of slots: a PIN, PAN, or key; a track; a record; the static data of a card.
    static let slotSizes = [32, 128, 512, 2048]
    private static let chunkSize = 16_384
    private static let pageSize = max(4096, sysconf(Int32(_SC_PAGESIZE)))

    /// The address of the first free slot of each size, 0 if there is none. A free slot begins with the address of the
    /// next one and is zero behind it.
    private let free = Mutex([UInt](repeating: 0, count: slotSizes.count))

    /// Returns `byteCount` bytes that are zero, aligned for a word. Give them back with ``release(_:)``.
    func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
        guard byteCount > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        guard let kind = Self.slotSizes.firstIndex(where: { byteCount <= $0 }) else {
            return UnsafeMutableRawBufferPointer(rebasing: Self.pages(byteCount)[..<byteCount])
        }
        let address = free.withLock { free in
            if free[kind] == 0 { free[kind] = Self.chunk(of: Self.slotSizes[kind]) }
            let slot = free[kind]
            free[kind] = Self.link(of: slot)
            return slot
        }
        let start = UnsafeMutableRawPointer(bitPattern: address)
        start?.storeBytes(of: 0, as: UInt.self)
        return UnsafeMutableRawBufferPointer(start: start, count: start == nil ? 0 : byteCount)
    }

    /// Overwrites the bytes with zeros and takes them back.
    func release(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // Not memset: a compiler may omit that before memory is released.
        explicit_bzero(start, bytes.count)
        guard let kind = Self.slotSizes.firstIndex(where: { bytes.count <= $0 }) else {
            let count = Self.wholePages(bytes.count)
            munlock(start, count)
            madvise(start, count, MADV_DODUMP)
            madvise(start, count, MADV_KEEPONFORK)
            start.deallocate()
            return
        }
        free.withLock { free in
            start.storeBytes(of: free[kind], as: UInt.self)
            free[kind] = UInt(bitPattern: start)
        }
    }

    /// Makes a chunk of free slots.
    ///
    /// - Returns: the address of the first one.
    private static func chunk(of slotSize: Int) -> UInt {
        let chunk = pages(chunkSize)
        var next: UInt = 0
        for offset in stride(from: chunk.count - slotSize, through: 0, by: -slotSize) {
            chunk.storeBytes(of: next, toByteOffset: offset, as: UInt.self)
            next = UInt(bitPattern: chunk.baseAddress) + UInt(offset)
        }
        return next
    }

    private static func link(of slot: UInt) -> UInt {
        UnsafeRawPointer(bitPattern: slot)?.load(as: UInt.self) ?? 0
    }

    private static func wholePages(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) / pageSize * pageSize }

    /// Returns protected pages, whole and zero, for at least so many bytes.
    private static func pages(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        let count = wholePages(byteCount)
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: pageSize)
        if let start = pages.baseAddress {
            madvise(start, count, MADV_DONTDUMP)
            madvise(start, count, MADV_WIPEONFORK)
            mlock(start, count)
            memset(start, 0, count)
        }
        return pages
    }
}
