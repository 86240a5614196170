/// What is certainly on a disk at a moment, and what was asked of it since the last sync of each file.
struct DiskState {
    /// What a power cut leaves of the requests that no sync has covered, counted over all files in their order.
    enum Cut: Hashable, Sendable {
        case nothing, everything
        /// The first so many.
        case first(Int)
        /// All but one.
        case without(Int)
        /// Only one.
        case alone(Int)
        /// The first so many, and part of the sectors of the next one.
        case torn(Int, seed: UInt64)
        /// Each one by chance: all, nothing, or some sectors of it.
        case byChance(seed: UInt64)
    }

    /// The unit in which a disk writes, in bytes. A write that is torn never damages bytes outside its range, as SQLite
    /// assumes (powersafe overwrite).
    static let sector = 512

    private var durable: DiskImage
    private var pending: [DiskRecord] = []

    init(_ base: DiskImage) { durable = base }

    /// The number of requests whose fate a power cut decides.
    var pendingCount: Int { pending.count }

    mutating func take(_ record: DiskRecord) {
        switch record.request {
        case .mark: return
        case .write, .truncate, .create, .delete(isSynced: false): pending.append(record)
        case .delete(isSynced: true):
            durable[record.file] = nil
            pending.removeAll { $0.file == record.file }
        case .sync(.failedLost):
            // The file still exists, with the bytes that it had.
            pending.removeAll { other in
                guard other.file == record.file else { return false }
                if case .write = other.request { return true }
                if case .truncate = other.request { return true }
                return false
            }
        case .sync:
            // SQLite's VFS syncs the folder with the first sync of a new log or journal.
            for other in pending where other.file == record.file { Self.carry(out: other, on: &durable) }
            pending.removeAll { $0.file == record.file }
        }
    }

    /// The kinds of cut that differ at this moment; `seed` is that of the ones by chance. A commit with very many
    /// requests, such as the one that makes a database, has only those that concern all of them.
    func cuts(seed: UInt64) -> [Cut] {
        guard !pending.isEmpty else { return [.nothing] }
        var cuts: [Cut] = [.nothing, .everything]
        for index in pending.indices where pending.count <= 64 {
            if index > 0 { cuts.append(.first(index)) }
            cuts += [.without(index), .alone(index), .torn(index, seed: seed)] as [Cut]
        }
        for number in 0..<4 as Range<UInt64> { cuts.append(.byChance(seed: seed &+ number)) }
        return cuts
    }

    /// The files after a power cut at this moment.
    func image(_ cut: Cut) -> DiskImage {
        var image = durable
        var chance = Chance(seed: 0)
        if case .byChance(let seed) = cut { chance = Chance(seed: seed) }
        if case .torn(_, let seed) = cut { chance = Chance(seed: seed) }
        for (index, record) in pending.enumerated() {
            switch cut {
            case .nothing: break
            case .everything: Self.carry(out: record, on: &image)
            case .first(let count): if index < count { Self.carry(out: record, on: &image) }
            case .without(let one): if index != one { Self.carry(out: record, on: &image) }
            case .alone(let one): if index == one { Self.carry(out: record, on: &image) }
            case .torn(let count, _):
                if index < count { Self.carry(out: record, on: &image) }
                if index == count { Self.tear(record, on: &image, &chance) }
            case .byChance:
                switch chance.next() % 3 {
                case 0: break
                case 1: Self.carry(out: record, on: &image)
                default: Self.tear(record, on: &image, &chance)
                }
            }
        }
        return image
    }

    private static func carry(out record: DiskRecord, on image: inout DiskImage) {
        switch record.request {
        case .write(let offset, let bytes): write(bytes[...], at: offset, to: &image[record.file])
        case .truncate(let length):
            guard let count = image[record.file]?.count else { return }
            if count > length { image[record.file]?.removeLast(count - length) }
            if count < length { image[record.file]? += [UInt8](repeating: 0, count: length - count) }
        case .create: if image[record.file] == nil { image[record.file] = [] }
        case .delete: image[record.file] = nil
        case .sync, .mark: break
        }
    }

    /// Writes some of the sectors. What is no write happens or does not.
    private static func tear(_ record: DiskRecord, on image: inout DiskImage, _ chance: inout Chance) {
        guard case .write(let offset, let bytes) = record.request else {
            if Bool.random(using: &chance) { carry(out: record, on: &image) }
            return
        }
        var start = 0
        while start < bytes.count {
            let end = min((offset + start) / sector * sector + sector - offset, bytes.count)
            if Bool.random(using: &chance) { write(bytes[start..<end], at: offset + start, to: &image[record.file]) }
            start = end
        }
    }

    /// Writes to a file, unless its creation was lost. A gap before the bytes has zeros.
    private static func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to file: inout [UInt8]?) {
        guard let count = file?.count else { return }
        let end = offset + bytes.count
        if count < end { file? += [UInt8](repeating: 0, count: end - count) }
        file?.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: $0) }
        }
    }
}

/// A moment in a record, and what a power cut then leaves.
struct DiskCut: Hashable, Sendable {
    /// The number of records before it.
    var moment: Int
    var cut: DiskState.Cut
}

extension Collection where Element == DiskRecord {
    /// Every image that a power cut at any moment may leave.
    func allCuts(of base: DiskImage) -> [DiskCut] {
        var state = DiskState(base)
        var cuts = [DiskCut(moment: 0, cut: .nothing)]
        for (index, record) in enumerated() {
            state.take(record)
            cuts += state.cuts(seed: UInt64(index) &* 1000).map { DiskCut(moment: index + 1, cut: $0) }
        }
        return cuts
    }

    /// Calls `body` with the images of cuts, in the order of time.
    func forEachImage(
        of base: DiskImage, at cuts: [DiskCut], _ body: (DiskCut, DiskImage) async throws -> Void
    ) async rethrows {
        let chosen = Dictionary(grouping: cuts, by: \.moment)
        var state = DiskState(base)
        for cut in chosen[0] ?? [] { try await body(cut, state.image(cut.cut)) }
        for (index, record) in enumerated() {
            state.take(record)
            for cut in chosen[index + 1] ?? [] { try await body(cut, state.image(cut.cut)) }
        }
    }
}

/// How many images a test looks at: `CARDPRESENT_CRASH_IMAGES` is a number for each record, or `all`.
enum CrashImages {
    /// Returns some of the cuts, always the same ones of a record. Those right after a mark or a sync that lose
    /// everything else come first, as the ones that would miss what people were shown.
    static func sample(
        _ cuts: [DiskCut], of records: [DiskRecord], usually count: Int, setting: String?
    ) -> [DiskCut] {
        if setting == "all" { return cuts }
        let count = setting.flatMap { Int($0) } ?? count
        let first = cuts.filter { cut in
            guard cut.cut == .nothing, cut.moment > 0 else { return false }
            if case .mark = records[cut.moment - 1].request { return true }
            return false
        }
        var chance = Chance(seed: UInt64(records.count))
        let others = cuts.shuffled(using: &chance)
        return first + others.prefix(max(0, count - first.count)).filter { !first.contains($0) }
    }
}
