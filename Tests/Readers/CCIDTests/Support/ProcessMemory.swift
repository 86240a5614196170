import Glibc

/// The memory of this process that can be written, freed memory and stacks included.
enum ProcessMemory {
    private static let chunk = 1 << 20

    /// Whether some bytes stand anywhere. They are given with every bit inverted, or the question would be the answer.
    static func contains(inverted: [UInt8]) -> Bool {
        let file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard file >= 0, let room = map() else { return false }
        defer {
            munmap(room, 2 * chunk)
            close(file)
        }
        // The first half takes what is read, the second one what is looked for.
        let pattern = room + chunk
        for (index, byte) in inverted.enumerated() {
            pattern.storeBytes(of: ~byte, toByteOffset: index, as: UInt8.self)
        }
        let own = UInt(bitPattern: room)..<UInt(bitPattern: room) + UInt(2 * chunk)
        return regions().contains { contains(pattern, inverted.count, in: $0, except: own, file, room) }
    }

    /// Whether some bytes, given inverted, go away: at once, or when tasks and threads that had them have ended.
    static func forgets(inverted: [UInt8]) async throws -> Bool {
        var pause = Duration.milliseconds(5)
        // On a busy machine a thread may wait for its turn for seconds.
        for _ in 0..<60 {
            guard contains(inverted: inverted) else { return true }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(1))
        }
        return false
    }

    private static func map() -> UnsafeMutableRawPointer? {
        let room = mmap(nil, 2 * chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return room == MAP_FAILED ? nil : room
    }

    private static func contains(
        _ pattern: UnsafeMutableRawPointer, _ count: Int, in region: Range<UInt>, except own: Range<UInt>,
        _ file: Int32, _ room: UnsafeMutableRawPointer
    ) -> Bool {
        var place = region.lowerBound
        while place < region.upperBound {
            // What another thread has just given back cannot be read anymore.
            let read = pread(file, room, min(chunk, Int(region.upperBound - place)), off_t(Int(bitPattern: place)))
            guard read > count else { return false }
            let first = Int32(pattern.load(as: UInt8.self))
            var start = room
            let end = room + (read - count + 1)
            while start < end, let found = memchr(start, first, end - start) {
                let offset = found - UnsafeMutableRawPointer(room)
                if memcmp(found, pattern, count) == 0, !own.contains(place + UInt(offset)) { return true }
                start = found + 1
            }
            guard place + UInt(read) < region.upperBound else { return false }
            // The bytes may lie across the end of what was read.
            place += UInt(read - (count - 1))
        }
        return false
    }

    private static func regions() -> [Range<UInt>] {
        guard let maps = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(maps) }
        var regions: [Range<UInt>] = []
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), maps) != nil {
            let fields = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
            let ends = fields.first?.split(separator: UInt8(ascii: "-")).compactMap {
                UInt(String(decoding: $0, as: UTF8.self), radix: 16)
            }
            guard let ends, ends.count == 2, fields.count > 1, fields[1].starts(with: Array("rw".utf8)) else {
                continue
            }
            regions.append(ends[0]..<ends[1])
        }
        return regions
    }
}
