import Glibc
import Testing

@testable import CardSecrets

@Suite("Memory for secrets")
struct SecretHeapTests {
    @Test(arguments: [1, 19, 32, 33, 128, 500, 2048, 2049, 100_000])
    func `a secret of any length is in memory that is in no core dump and no forked process`(count: Int) throws {
        let secret = SensitiveBytes(count: count) { $0[count - 1] = 7 }
        let (first, last) = secret.withUnsafeBytes { bytes in
            (UInt(bitPattern: bytes.baseAddress), UInt(bitPattern: bytes.baseAddress) + UInt(count - 1))
        }
        // proc(5): dd is a mapping that no core dump includes, wf one that a forked process gets empty.
        for address in [first, last] {
            let flags = try #require(MappedMemory.flags(at: address))
            #expect(flags.contains("dd") && flags.contains("wf"), "\(flags)")
        }
        #expect(secret.withUnsafeBytes { $0[count - 1] } == 7)
    }

    @Test func `it is locked into RAM where the process may lock some`() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
        guard limit.rlim_cur >= 1 << 20 else { return }
        let secret = SensitiveBytes([1, 2, 3])
        let address = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        #expect(try #require(MappedMemory.flags(at: address)).contains("lo"))
    }

    @Test func `ordinary memory of this process is in a core dump`() throws {
        let ordinary = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { ordinary.deallocate() }
        ordinary[0] = 1
        let flags = try #require(MappedMemory.flags(at: UInt(bitPattern: ordinary.baseAddress)))
        #expect(!flags.contains("dd") && !flags.contains("lo"))
    }

    @Test(arguments: SecretHeap.slotSizes)
    func `a slot is zero when it is used again`(size: Int) {
        let heap = SecretHeap()
        let first = heap.allocate(byteCount: size)
        #expect(first.count == size && first.allSatisfy { $0 == 0 })
        for index in first.indices { first[index] = 0xA5 }
        let address = first.baseAddress
        heap.release(first)
        let second = heap.allocate(byteCount: size)
        #expect(second.baseAddress == address)
        #expect(second.allSatisfy { $0 == 0 })
        heap.release(second)
    }

    @Test func `a slot that was given back holds nothing of its secret`() throws {
        let heap = SecretHeap()
        let secret = heap.allocate(byteCount: 32)
        for index in secret.indices { secret[index] = 0xA5 }
        let address = UInt(bitPattern: secret.baseAddress)
        heap.release(secret)
        // Chunks stay for the life of the process, so that a free slot can still be read.
        let rest = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: 32)
        #expect(!rest.contains(0xA5))
    }

    @Test func `no bytes need no memory`() {
        let heap = SecretHeap()
        let none = heap.allocate(byteCount: 0)
        #expect(none.isEmpty && none.baseAddress == nil)
        heap.release(none)
        #expect(heap.allocate(byteCount: -1).isEmpty)
    }

    @Test func `secrets that are held at once do not overlap, in whatever order they end`() {
        let heap = SecretHeap()
        var held: [UnsafeMutableRawBufferPointer] = []
        for round in 0..<4 {
            for number in 0..<2000 {
                let bytes = heap.allocate(byteCount: 1 + number % 600)
                for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: held.count) }
                held.append(bytes)
            }
            for (number, bytes) in held.enumerated() {
                #expect(bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: number) })
            }
            // Every second one ends first, then the others, from the other end.
            let places =
                held.indices.filter { $0 % 2 == round % 2 } + held.indices.filter { $0 % 2 != round % 2 }.reversed()
            for place in places { heap.release(held[place]) }
            held = []
        }
    }

    @Test func `many threads take and give back at once`() async {
        let heap = SecretHeap()
        await withTaskGroup(of: Bool.self) { group in
            for worker in 1...8 {
                group.addTask {
                    let mark = UInt8(worker)
                    return (0..<5000).allSatisfy { round in
                        let bytes = heap.allocate(byteCount: 1 + (round * worker) % 200)
                        defer { heap.release(bytes) }
                        guard bytes.allSatisfy({ $0 == 0 }) else { return false }
                        for index in bytes.indices { bytes[index] = mark }
                        return bytes.allSatisfy { $0 == mark }
                    }
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }
}

/// The memory of this process, as proc(5) tells it.
enum MappedMemory {
    /// The two-letter flags of the mapping at an address; nil if there is none.
    static func flags(at address: UInt) -> Set<String>? {
        guard let file = fopen("/proc/self/smaps", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var isWanted = false
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace)
            if isWanted, words.first == "VmFlags:" { return Set(words.dropFirst().map(String.init)) }
            let ends = (words.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2 { isWanted = (ends[0]..<ends[1]).contains(address) }
        }
        return nil
    }
}
