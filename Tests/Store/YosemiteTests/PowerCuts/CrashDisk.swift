import CCrashDisk
import Foundation

/// The SQLite files of a folder, as bytes by name.
typealias DiskImage = [String: [UInt8]]

/// What SQLite asked of the disk, or a mark of the test.
struct DiskRecord: Sendable {
    enum Request: Sendable {
        case write(at: Int, [UInt8])
        case truncate(Int)
        case sync(SyncEnd)
        case create
        /// Whether the folder was synced, too.
        case delete(isSynced: Bool)
        case mark(Int64)
    }

    /// How a sync ended. After a failed one, what it was about is on the disk or never gets there.
    enum SyncEnd: Sendable { case done, failedKept, failedLost }

    /// The name of the file; empty for a mark.
    var file: String
    var request: Request
}

/// A folder on a disk that records every write, sync and change of its SQLite files, and that can fail.
///
/// Unchecked, because the recorder is a C structure: each function of CCrashDisk locks it.
final class CrashDisk: @unchecked Sendable {
    private let disk: OpaquePointer
    private let database: String
    /// The files when the recording began.
    let base: DiskImage

    /// Records the files of the folder of a database, which no program has open.
    init(recording database: String) throws {
        let folder = URL(fileURLWithPath: database).deletingLastPathComponent().resolvingSymlinksInPath()
        var base: DiskImage = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            base[name] = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
        }
        (self.base, self.database) = (base, database)
        guard let disk = crash_disk_make(folder.path) else { throw CocoaError(.featureUnsupported) }
        self.disk = disk
    }

    deinit { crash_disk_release(disk) }

    /// Adds a mark behind what was recorded so far.
    func mark(_ number: Int64) { crash_disk_mark(disk, number) }

    /// Moves the write-ahead log into the database, as another process would. While a reader is in the way, nothing
    /// happens.
    func checkpoint() { _ = crash_disk_checkpoint(database) }

    /// One write fails with an I/O error, after this many others.
    func failWrite(after count: Int) { crash_disk_fail_write(disk, count) }

    /// One sync fails, after this many others.
    func failSync(after count: Int, keeping: Bool) {
        crash_disk_fail_sync(disk, count, keeping ? CRASH_DISK_FAILED_KEPT : CRASH_DISK_FAILED_LOST)
    }

    /// The disk is full after this many writes.
    func fill(after count: Int) { crash_disk_fill(disk, count) }

    /// Ends all failures that are still to come.
    func heal() {
        crash_disk_fail_write(disk, -1)
        crash_disk_fail_sync(disk, -1, 0)
        crash_disk_fill(disk, -1)
    }

    /// Everything so far.
    func records() -> [DiskRecord] {
        (0..<crash_disk_count(disk)).map { index in
            let record = crash_disk_at(disk, index)
            let name = crash_disk_name(disk, record.file).map { String(cString: $0) } ?? ""
            let request: DiskRecord.Request
            switch record.kind {
            case CRASH_DISK_WRITE:
                let bytes = UnsafeBufferPointer(start: record.bytes, count: Int(record.size))
                request = .write(at: Int(record.offset), Array(bytes))
            case CRASH_DISK_TRUNCATE: request = .truncate(Int(record.size))
            case CRASH_DISK_SYNC:
                request = .sync(
                    record.flags == CRASH_DISK_FAILED_LOST
                        ? .failedLost : record.flags == CRASH_DISK_FAILED_KEPT ? .failedKept : .done)
            case CRASH_DISK_CREATE: request = .create
            case CRASH_DISK_DELETE: request = .delete(isSynced: record.flags != 0)
            default: request = .mark(record.size)
            }
            return DiskRecord(file: name, request: request)
        }
    }

    /// Whether SQLite finds a database sound.
    static func isSound(_ path: String) -> Bool { crash_disk_is_sound(path) != 0 }
}

/// Numbers that depend on the seed alone (SplitMix64).
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
